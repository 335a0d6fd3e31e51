import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { findPostmaster } from "#shared/db/postmaster.ts";

export interface Process {
  readonly url: string;
  /** Returns the CPU time used by the process, without its database, seconds. */
  cpuSeconds(): Promise<number>;
  stop(): Promise<void>;
}

const root = new URL("..", import.meta.url);
/** Of all processes that a benchmark starts on one database. */
const maxConnections = 400;

/** Starts a Node.js program. `ready` matches its URL in its output. */
export async function startProcess(
  args: string[],
  environment: Record<string, string>,
  ready: RegExp,
  detached = false,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    detached,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  const url = await new Promise<string>((resolve, reject) => {
    child.once("exit", (code) => reject(new Error(`${args.join(" ")} exited with code ${code}:\n${printed}`)));
    child.stdout?.on("data", (chunk: Buffer) => {
      printed += chunk;
      const found = ready.exec(printed)?.[1];
      if (found) resolve(found);
    });
  });
  return { child, url };
}

export async function stopProcess(child: ChildProcess, signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
  child.removeAllListeners("exit");
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill(signal);
  await ended;
}

/** Ticks of the CPU clock per second, on all platforms of Linux that Node.js supports. */
const ticksPerSecond = 100;

/** Returns the CPU time of a process and its children, those that have ended too. */
async function cpuSecondsOf(pid: number): Promise<number> {
  let ticks = 0;
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    // After the name in parentheses come the state, the parent, and, as numbers 12 to 15, the times.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const counted = Number(name) === pid ? fields.slice(11, 15) : Number(fields[1]) === pid ? fields.slice(11, 13) : [];
    for (const field of counted) ticks += Number(field);
  }
  return ticks / ticksPerSecond;
}

/** Returns the memory of a process, without what it shares, bytes; 0 if it has ended. */
async function bytesOf(pid: number | string): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  return Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Returns the memory of the largest child of a process, as above. */
async function largestChildOf(pid: number): Promise<number> {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, "utf8")).trim().split(" ");
  return Math.max(0, ...(await Promise.all(children.map(bytesOf))));
}

export interface Service extends Process {
  /** Calls the REST API under `/api/v1`. Throws if the call fails. */
  call<T>(method: string, path: string, options?: { token?: string; body?: unknown }): Promise<T>;
  /** Stops the process and starts it again on the same data, with other environment variables. `url` changes. */
  restart(environment: Record<string, string>): Promise<void>;
  /**
   * Starts another process of the same service, which has a `REDIS_URL`, with other environment variables. Stop it
   * before the service.
   */
  another(environment?: Record<string, string>): Promise<Process>;
  /** Kills the process and starts it again on the same data. `url` changes. */
  crash(): Promise<void>;
  /** URL of the database. */
  readonly databaseUrl: string;
  /** Returns the CPU time that the database has used, seconds. Linux only. */
  databaseCpuSeconds(): Promise<number>;
  /** Returns the memory of the process, bytes. Linux only. It takes no time of the process, as its metrics do. */
  bytes(): Promise<number>;
  /** Returns the memory of the largest of the database's processes, without shared buffers, bytes. Linux only. */
  databaseBytes(): Promise<number>;
}

/** The signing key of access tokens, shared with the bare server. */
export const tokenSecret = "the signing key of access tokens in load tests";

/** Runs a command of the service to its end. Throws if it fails. */
export async function runCommand(args: string[], environment: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const [code] = (await once(child, "exit")) as [number | null];
  if (code !== 0) throw new Error(`${args.join(" ")} exited with code ${code}`);
}

interface ServiceOptions {
  /** Where the data is kept. Default: a temporary folder that is deleted at the end. */
  readonly folder?: string;
  /** Further environment variables. */
  readonly more?: Record<string, string>;
  /** Ctrl-C doesn't reach it, so that it is stopped only in order. */
  readonly detached?: boolean;
  /** What is done to the empty database before the service starts. */
  readonly prepare?: (databaseUrl: string) => Promise<void>;
}

async function cpuSecondsAt(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^process_cpu_seconds_total (\S+)/m.exec(text)?.[1]);
}

/** Starts the whole service in one process, with an embedded database and without rate limits. */
export async function startService({
  folder: kept,
  more = {},
  detached = false,
  prepare,
}: ServiceOptions = {}): Promise<Service> {
  const folder = kept ?? (await mkdtemp(join(tmpdir(), "hubbub-load-")));
  const database = await startEmbeddedPostgres(join(folder, "postgres"), { maxConnections });
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PORT: "0",
    HOST: "127.0.0.1",
    RATE_LIMITS: "off",
    LOG_LEVEL: "warn",
    JWT_SECRET: tokenSecret,
    ...more,
  };
  const postmaster = async () => (await findPostmaster(join(folder, "postgres", "data")))!.pid;
  const start = (more: Record<string, string> = {}) =>
    startProcess(["main.ts", "start"], { ...environment, ...more }, /API +(http\S+)\/api\/v1/, detached);
  await prepare?.(database.url);
  let running = await start();
  return {
    get url() {
      return running.url;
    },
    databaseUrl: database.url,
    cpuSeconds: () => cpuSecondsAt(running.url),
    another: async (more) => {
      const { child, url } = await start(more);
      return { url, cpuSeconds: () => cpuSecondsAt(url), stop: () => stopProcess(child) };
    },
    call: (method, path, options) => callService(running.url, method, path, options),
    restart: async (more) => {
      await stopProcess(running.child);
      running = await start(more);
    },
    crash: async () => {
      await stopProcess(running.child, "SIGKILL");
      running = await start();
    },
    databaseCpuSeconds: async () => cpuSecondsOf(await postmaster()),
    bytes: () => bytesOf(running.child.pid!),
    databaseBytes: async () => largestChildOf(await postmaster()),
    stop: async () => {
      await stopProcess(running.child);
      await database.stop();
      if (!kept) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** `fetch` would have the load generator collect garbage for longer than a call takes. */
const agent = new Agent({ keepAlive: true });

export async function callService<T>(
  url: string,
  method: string,
  path: string,
  { token, body }: { token?: string; body?: unknown } = {},
): Promise<T> {
  const content = body === undefined ? undefined : JSON.stringify(body);
  const sent = request(`${url}/api/v1${path}`, {
    agent,
    method,
    headers: {
      ...(content !== undefined && {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(content),
      }),
      ...(token && { authorization: `Bearer ${token}` }),
    },
  }).end(content);
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const answer = JSON.parse(await text(response)) as { data: T; error?: unknown };
  if (response.statusCode! >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

export interface Person {
  readonly id: string;
  readonly token: string;
}

/** Registers people in batches, because each registration hashes a password. */
export async function register(service: Service, count: number): Promise<Person[]> {
  const people: Person[] = [];
  const run = Date.now().toString(36);
  while (people.length < count) {
    const batch = Array.from({ length: Math.min(8, count - people.length) }, (_, index) => people.length + index);
    people.push(...(await Promise.all(batch.map((number) => registerOne(service, `load_${run}_${number}`)))));
  }
  return people;
}

/** That of all who are registered. */
export const password = "load test password";

async function registerOne(service: Service, username: string): Promise<Person> {
  const { user, accessToken } = await service.call<{ user: { id: string }; accessToken: string }>(
    "POST",
    "/auth/register",
    {
      body: {
        full_name: "Load Test",
        username,
        email: `${username}@example.com`,
        password,
        confirm_password: password,
        terms_accepted: true,
      },
    },
  );
  return { id: user.id, token: accessToken };
}

/** Creates a room hosted by `host`. */
export function openRoom(service: Service, host: Person): Promise<{ id: string }> {
  return service.call("POST", "/rooms", {
    token: host.token,
    body: { name: "Load test", category: "music", language: "en" },
  });
}
