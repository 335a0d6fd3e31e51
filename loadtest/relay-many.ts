import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startRedis } from "#shared/testing/redis.ts";
import { cpuOf } from "./bus.ts";
import { joinAll, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { measureAlone } from "./relay.ts";
import { judge, median, say } from "./report.ts";
import { type Process, startService } from "./service.ts";

interface Options {
  readonly events: number;
  readonly rounds: number;
}

const sizes = [1, 2, 4] as const;
const pairs = 32;
/** Relays share the work again when there is another one. */
const sharedOutMs = 3000;
/** The most that a gift costs with the most processes, compared with one; or the least that they deliver. */
const [dearerMax, fasterMin] = [1.1, 2];

/**
 * Measures what the relays of more and more processes deliver together, and what a gift costs them. Fails if they
 * deliver too little more than one, and each gift costs more.
 */
export async function relayOverMany({ events, rounds }: Options): Promise<void> {
  const redis = await startRedis();
  const service = await startService({ more: { REDIS_URL: redis.url } });
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  const processes: Process[] = [service];
  const results: { perSecond: number; cpuMs: number }[] = [];
  try {
    await raiseSignupBonus(pool);
    const scene = await setScene(service, pairs);
    await joinAll(service, scene);
    await untilDelivered(pool);
    await measureAlone(pool, scene, events); // Warms up.
    for (const size of sizes) {
      while (processes.length < size) processes.push(await service.another());
      await pause(sharedOutMs);
      const idle = await cpuOf(processes, () => pause(sharedOutMs));
      const runs: { perSecond: number; cpuMs: number }[] = [];
      for (let round = 0; round < rounds; round += 1) {
        let perSecond = 0;
        const cpu = await cpuOf(processes, async () => {
          perSecond = await measureAlone(pool, scene, events);
        });
        const seconds = events / perSecond;
        runs.push({ perSecond, cpuMs: ((cpu - (idle * seconds * 1000) / sharedOutMs) * 1000) / events });
      }
      const of = (figure: "perSecond" | "cpuMs") => median(runs.map((run) => run[figure]));
      results.push({ perSecond: of("perSecond"), cpuMs: of("cpuMs") });
      say(
        `  ${size} process${size === 1 ? "" : "es"}: ${of("perSecond").toFixed(0)} gifts per second, ${of("cpuMs").toFixed(3)} ms of CPU each`,
      );
    }
    const [one, most] = [results[0]!, results.at(-1)!];
    const [faster, dearer] = [most.perSecond / one.perSecond, most.cpuMs / one.cpuMs];
    judge(
      `${sizes.at(-1)} relays: ${faster.toFixed(2)} × the gifts of one, each for ${dearer.toFixed(2)} × the CPU (target: ${fasterMin} ×, or at most ${dearerMax} × the CPU)`,
      faster >= fasterMin || dearer <= dearerMax,
    );
  } finally {
    await pool.end();
    for (const process of processes.slice(1)) await process.stop();
    await service.stop();
    await redis.stop();
  }
}
