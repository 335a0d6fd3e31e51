import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startRedis } from "#shared/testing/redis.ts";
import { cpuOf } from "./bus.ts";
import { type ChatClient, enterRoom } from "./chat-clients.ts";
import { type Pair, raiseSignupBonus, setScene, untilDelivered } from "./gift-scene.ts";
import { measureAlone, type Scene } from "./relay.ts";
import { judge, median, say } from "./report.ts";
import { openRoom, type Process, type Service, startService } from "./service.ts";

interface Options {
  readonly events: number;
  readonly rounds: number;
}

const sizes = [1, 2, 4] as const;
const pairCount = 32;
/** So many that each number of processes shares the pushes to them, whatever their IDs. */
const roomCount = 16;
/** Relays share the work again when there is another one. */
const sharedOutMs = 3000;
/** The most that a gift costs with the most processes, compared with one; or the least that they deliver. */
const [dearerMax, fasterMin] = [1.1, 2];

/** A service of so many processes. */
interface Contender {
  readonly processes: readonly Process[];
  readonly pool: pg.Pool;
  readonly scene: Scene;
  readonly rates: number[];
  /** What a gift has cost, in each round. */
  readonly cpuMs: number[];
  stop(): Promise<void>;
}

/**
 * Measures what the relays of more and more processes deliver together, and what a gift costs them, in turn: so a
 * machine that gets slower or faster affects all alike. Fails if they deliver too little more than one, and each gift
 * costs more.
 */
export async function relayOverMany({ events, rounds }: Options): Promise<void> {
  const contenders: Contender[] = [];
  try {
    for (const size of sizes) contenders.push(await startContender(size));
    await pause(sharedOutMs);
    // New processes compile their code.
    for (const { pool, scene } of contenders) await measureAlone(pool, scene, events);
    for (let round = 0; round < rounds; round += 1) for (const one of contenders) await measure(one, events);
  } finally {
    for (const { stop } of contenders) await stop();
  }
  for (const [index, { rates, cpuMs }] of contenders.entries())
    say(
      `  ${sizes[index]} process${index === 0 ? "" : "es"}: ${median(rates).toFixed(0)} gifts per second, ${median(cpuMs).toFixed(3)} ms of CPU each`,
    );
  const [one, most] = [contenders[0]!, contenders.at(-1)!];
  // Round by round.
  const ratio = (of: "rates" | "cpuMs") => median(most[of].map((figure, round) => figure / one[of][round]!));
  const [faster, dearer] = [ratio("rates"), ratio("cpuMs")];
  judge(
    `${sizes.at(-1)} relays: ${faster.toFixed(2)} × the gifts of one, each for ${dearer.toFixed(2)} × the CPU (target: ${fasterMin} ×, or at most ${dearerMax} × the CPU)`,
    faster >= fasterMin || dearer <= dearerMax,
  );
}

async function measure({ processes, pool, scene, rates, cpuMs }: Contender, events: number): Promise<void> {
  const idle = await cpuOf(processes, () => pause(sharedOutMs));
  let perSecond = 0;
  const cpu = await cpuOf(processes, async () => {
    perSecond = await measureAlone(pool, scene, events);
  });
  rates.push(perSecond);
  cpuMs.push(((cpu - (idle * (events / perSecond) * 1000) / sharedOutMs) * 1000) / events);
}

async function startContender(size: number): Promise<Contender> {
  const redis = await startRedis();
  const service = await startService({ more: { REDIS_URL: redis.url } });
  const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
  await raiseSignupBonus(pool);
  const { pairs } = await setScene(service, pairCount);
  const processes: Process[] = [service];
  while (processes.length < size) processes.push(await service.another());
  const hosts: ChatClient[] = [];
  const roomIds: string[] = [];
  for (const [index, pair] of pairs.slice(0, roomCount).entries()) {
    const { id, host } = await stayInRoom(service, processes[index % size]!, pair);
    roomIds.push(id);
    hosts.push(host);
  }
  await untilDelivered(pool);
  return {
    ...{ processes, pool, scene: { pairs, roomIds }, rates: [], cpuMs: [] },
    stop: async () => {
      for (const host of hosts) host.close();
      await pool.end();
      for (const process of processes.slice(1)) await process.stop();
      await service.stop();
      await redis.stop();
    },
  };
}

/** Opens a room for a sender, and has them stay there: a room without members is shown nothing. */
async function stayInRoom(
  service: Service,
  { url }: Process,
  { sender }: Pair,
): Promise<{ id: string; host: ChatClient }> {
  const { id } = await openRoom(service, sender);
  return { id, host: await enterRoom.socket(url, { auth: { token: sender.token }, roomId: id }) };
}
