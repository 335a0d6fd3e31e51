import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { type Place, startBalancer } from "#shared/testing/balancer.ts";
import { freePort } from "#shared/testing/free-port.ts";
import { startRedis } from "#shared/testing/redis.ts";
import { judge, say } from "./report.ts";
import { RollingLoad } from "./rolling-load.ts";
import { startProcess, stopProcess } from "./service.ts";
import { now } from "./tool/times.ts";

interface Options {
  readonly restarts: number;
  readonly clients: number;
  readonly drain: number;
  /** Calls per second. */
  readonly rate: number;
  /** The folder of another release, whose processes are there first. */
  readonly from?: string;
}

/** The part of DRAIN_SECONDS in which connections move; before, balancers notice that the process leaves. */
const movingShare = 0.7;
const faultsShown = 20;
const root = fileURLToPath(new URL("../", import.meta.url));
const ready = /"url":"([^"]+)","msg":"ready"/;

/**
 * Restarts two processes in turn behind HAProxy, with the configuration of docs/operations, while clients call, talk,
 * and listen through it. Fails if a call failed, a listener missed a message, or clients connected again in a wave.
 */
export async function rolling(options: Options): Promise<void> {
  const stack = new AsyncDisposableStack();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => void stack.disposeAsync().finally(() => process.exit(130)));
  try {
    await restart(await startCluster(stack, options), stack, options);
  } finally {
    await stack.disposeAsync();
  }
}

interface Cluster {
  readonly url: string;
  /** Stops a process as a deployment does, and starts its successor. */
  restart(index: number): Promise<void>;
}

async function restart(cluster: Cluster, stack: AsyncDisposableStack, { restarts, clients, drain, rate }: Options) {
  const load = await RollingLoad.begin(cluster.url, clients, rate);
  stack.defer(() => load.close());
  const startsMs: number[] = [];
  for (let count = 0; count < restarts; count += 1) {
    startsMs.push(now());
    await cluster.restart(count % 2);
    say(`restart ${count + 1} of ${restarts}, at ${new Date(startsMs[count]!).toISOString()}: ${load.summary()}`);
  }
  const { failed, lost } = await load.end();
  for (const fault of [...failed, ...lost].slice(0, faultsShown)) say(`✗ ${fault}`);
  judge(
    `${failed.length === 0 ? "no" : "some"} failed calls in ${restarts} restarts (target: none)`,
    failed.length === 0,
  );
  judge(`${lost.length} messages or members lost, at least (target: 0)`, lost.length === 0);
  judgeWave(load.reconnections, startsMs, drain);
}

/** Starts two processes behind HAProxy, of another release if one is given. What `stack` has ends them. */
async function startCluster(stack: AsyncDisposableStack, { drain, from = root }: Options): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), "rolling-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const redis = stack.adopt(await startRedis(), (one) => one.stop());
  const database = stack.adopt(await startEmbeddedPostgres(join(folder, "db")), (one) => one.stop());
  const newPlace = async (): Promise<Place> => ({ port: await freePort(), metricsPort: await freePort() });
  const places = [await newPlace(), await newPlace()] as const;
  // The first process of a release migrates the database, while those of the other serve.
  const start = (place: Place, folder = root) =>
    startProcess([join(folder, "main.ts"), "start"], environmentOf(place), ready);
  const environmentOf = ({ port: own, metricsPort }: Place) => ({
    NODE_ENV: "test",
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    DATA_DIR: join(folder, "data"),
    JWT_SECRET: "one secret for them all, of 40 characters",
    PORT: `${own}`,
    METRICS_PORT: `${metricsPort}`,
    DRAIN_SECONDS: `${drain}`,
    RATE_LIMITS: "off",
    LOG_LEVEL: "info",
  });
  const processes: ChildProcess[] = [];
  stack.defer(() => Promise.all(processes.map((child) => stopProcess(child, "SIGKILL"))).then(() => {}));
  for (const place of places) processes.push((await start(place, resolve(from))).child);
  const { url } = stack.adopt(await startBalancer(places), (one) => one.stop());
  return {
    url,
    restart: async (index) => {
      await stopProcess(processes[index]!);
      processes[index] = (await start(places[index]!)).child;
      await pause(1500); // Two checks of the balancer.
    },
  };
}

/**
 * Compares the busiest second of reconnections with the mean while connections move. The restarts are laid over each
 * other: a single one moves too few clients to tell.
 */
function judgeWave(reconnections: readonly number[], startsMs: readonly number[], drain: number): void {
  const seconds = new Map<number, number>();
  for (const ms of reconnections) {
    const startMs = startsMs.findLast((start) => start <= ms) ?? ms;
    const second = Math.floor((ms - startMs) / 1000);
    seconds.set(second, (seconds.get(second) ?? 0) + 1);
  }
  const most = Math.max(0, ...seconds.values());
  const mean = reconnections.length / (drain * movingShare);
  const times = most / Math.max(mean, 1);
  say(
    `clients came back ${reconnections.length} times; by second of the restart: ${[...seconds]
      .sort(([a], [b]) => a - b)
      .map(([at, count]) => `${at} s ${count}`)
      .join(", ")}`,
  );
  judge(
    `reconnections: the busiest second has ${times.toFixed(1)} × the mean (target: at most 2)`,
    times <= 2 && reconnections.length > 0,
  );
}
