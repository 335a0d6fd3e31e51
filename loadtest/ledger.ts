import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { poolSizes } from "#shared/db/pools.ts";
import { serverOptions } from "#shared/db/server-settings.ts";
import type { GiftScene } from "./gift-scene.ts";
import { naiveGifts } from "./peers/naive-gift.ts";
import { judge, median, say } from "./report.ts";

interface Options {
  movements: number;
  connections: number;
  kills: number;
  seconds: number;
  rounds: number;
}

const aloneMin = 6;

/**
 * Moves coins at random, without HTTP, while processes are killed (SIGKILL): the service's and PostgreSQL's in turn.
 * Then recounts the ledger, and looks for every movement that was acknowledged. Then measures transfers alone beside
 * the naive transaction of a gift. Fails if a coin is missing, or transfers are too slow.
 */
export async function ledger({ movements, connections, kills, seconds, rounds }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hubbub-load-"));
  const database = await startEmbeddedPostgres(join(folder, "postgres"));
  try {
    const prepare = async () => JSON.parse(await runWorker(database.url, "prepare", 100)) as GiftScene;
    await prepare();
    await storm(database.url, { movements, connections, kills });
    // The storm has spent the coins of the first scene.
    const scene = await prepare();
    await compare(database.url, scene, { connections, seconds, rounds });
  } finally {
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function storm(
  url: string,
  { movements, connections, kills }: Pick<Options, "movements" | "connections" | "kills">,
): Promise<void> {
  const acknowledged: string[] = [];
  const startedMs = performance.now();
  const outbox = emptyOutbox(url);
  const start = () => startWorker(url, ["random", connections], (id) => acknowledged.push(id));
  let worker = start();
  for (let kill = 1; kill <= kills; kill += 1) {
    await until(() => acknowledged.length >= (movements * kill) / (kills + 1), worker);
    if (kill % 2 === 0) await killBackend(url);
    else {
      await killWorker(worker);
      worker = start();
    }
    say(`  ${acknowledged.length} of ${movements} movements, ${kill} of ${kills} kills`);
  }
  await until(() => acknowledged.length >= movements, worker);
  await killWorker(worker);
  const seconds = (performance.now() - startedMs) / 1000;
  await outbox.stop();

  const differences = JSON.parse(await runWorker(url, "check")) as string[];
  const lost = await countLost(url, acknowledged);
  judge(
    `${acknowledged.length} movements over ${connections} connections in ${seconds.toFixed(0)} s (${(acknowledged.length / seconds).toFixed(0)} per second), ${kills} kills: ${lost} acknowledged movements lost, ${differences.length} differences in the ledger`,
    lost === 0 && differences.length === 0,
  );
  for (const difference of differences.slice(0, 20)) say(`  ${difference}`);
}

async function compare(
  url: string,
  scene: GiftScene,
  { connections, seconds, rounds }: Pick<Options, "connections" | "seconds" | "rounds">,
): Promise<void> {
  const pool = new pg.Pool({ connectionString: url, max: poolSizes.calls, options: serverOptions });
  pool.on("error", () => {}); // The database may end before its idle connections do.
  const naive = { ...scene, pairs: scene.pairs.slice(0, connections) };
  const [ours, theirs]: [number[], number[]] = [[], []];
  try {
    for (let round = 0; round < rounds; round += 1) {
      theirs.push((await naiveGifts(pool, naive, seconds)).perSecond);
      ours.push(Number(await runWorker(url, "transfers", connections, seconds)));
    }
  } finally {
    await pool.end();
  }
  const factor = median(ours) / median(theirs);
  judge(
    `transfers alone: ${median(ours).toFixed(0)} per second, ${factor.toFixed(1)} × the naive transaction of a gift at ${median(theirs).toFixed(0)} (target: at least ${aloneMin})`,
    factor >= aloneMin,
  );
}

/** Starts a worker. `onLine` gets each line that it prints, also those that it printed before it was killed. */
function startWorker(url: string, args: readonly (string | number)[], onLine: (line: string) => void): ChildProcess {
  const script = new URL("ledger-worker.ts", import.meta.url).pathname;
  const child = spawn(process.execPath, [script, url, ...args.map(String)], {
    env: { ...process.env, LOG_LEVEL: "fatal" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface(child.stdout!).on("line", onLine);
  return child;
}

/** Runs a worker to its end. Returns the last line that it prints. */
async function runWorker(url: string, ...args: (string | number)[]): Promise<string> {
  let last = "";
  const child = startWorker(url, args, (line) => {
    last = line;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The worker exited with code ${code}.`);
  return last;
}

async function killWorker(child: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => child.once("close", resolve));
  child.kill("SIGKILL");
  await closed;
}

/** Kills a process of PostgreSQL amid a transaction, if there is one: the server then ends all others, and recovers. */
async function killBackend(url: string): Promise<void> {
  const client = await connect(url);
  const { rows } = await client.query<{ pid: number }>(
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'hubbub shared pool' ORDER BY xact_start NULLS LAST LIMIT 1",
  );
  if (rows[0]) process.kill(rows[0].pid, "SIGKILL");
  await client.end().catch(() => undefined); // It ends too.
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}

/** Deletes domain events meanwhile, as the relay would. */
function emptyOutbox(url: string): { stop(): Promise<void> } {
  let stopped = false;
  const emptying = (async () => {
    while (!stopped) {
      try {
        const client = await connect(url);
        for (; !stopped; await pause(500)) await client.query("DELETE FROM outbox");
        await client.end();
      } catch {
        await pause(100); // The database is recovering.
      }
    }
  })();
  return {
    stop: () => {
      stopped = true;
      return emptying;
    },
  };
}

async function until(isReached: () => boolean, worker: ChildProcess): Promise<void> {
  while (!isReached()) {
    if (worker.exitCode !== null) throw new Error("The worker has ended.");
    await pause(20);
  }
}

async function countLost(url: string, references: readonly string[]): Promise<number> {
  const client = await connect(url);
  let found = 0;
  for (let from = 0; from < references.length; from += 10_000) {
    const { rows } = await client.query<{ found: number }>(
      "SELECT count(*)::int AS found FROM ledger_movements WHERE reference_id = ANY($1::uuid[])",
      [references.slice(from, from + 10_000)],
    );
    found += rows[0]!.found;
  }
  await client.end();
  return new Set(references).size - found;
}
