import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { io, type Socket } from "socket.io-client";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { newId } from "#shared/kernel/ids.ts";
import { freePort, startRedis } from "#shared/testing/redis.ts";
import { startProcess, stopProcess } from "./service.ts";

interface Options {
  readonly restarts: number;
  readonly clients: number;
  readonly drain: number;
}

interface Acknowledged {
  readonly success: boolean;
  readonly data: { id: string; seq: number; events: { event: string; payload: RoomEvent }[] };
}
interface RoomEvent {
  readonly seq: number;
  readonly message?: { id: string };
}

const ready = /"url":"([^"]+)","msg":"ready"/;

/**
 * Restarts two processes in turn behind HAProxy, with the configuration of docs/operations, while clients call, talk, and
 * listen through it. Fails if a call failed, a listener missed a message, or clients connected again in a wave.
 */
export async function rolling({ restarts, clients, drain }: Options): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "rolling-"));
  const [redis, database, port] = [
    await startRedis(),
    await startEmbeddedPostgres(join(folder, "db")),
    await freePort(),
  ];
  const places = [];
  for (const _ of ["a", "b"]) places.push({ port: await freePort(), metricsPort: await freePort() });
  await migrate(database.url);
  const start = ({ port: own, metricsPort }: { port: number; metricsPort: number }) =>
    startProcess(
      ["main.ts", "start"],
      {
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
      },
      ready,
    );
  const processes = [await start(places[0]!), await start(places[1]!)];
  const config = join(folder, "haproxy.cfg");
  await writeFile(config, await balancerConfig(port, places));
  const balancer = spawn("haproxy", ["-f", config], { stdio: ["ignore", "ignore", "inherit"] });
  const url = `http://127.0.0.1:${port}`;
  await untilServed(url);
  const load = new Load(url);
  try {
    await load.begin(clients);
    for (let count = 0; count < restarts; count += 1) {
      const index = count % 2;
      await stopProcess(processes[index]!.child);
      processes[index] = await start(places[index]!);
      await pause(1500); // Two checks of the balancer.
      console.log(`restart ${count + 1} of ${restarts}: ${load.summary()}`);
    }
    await load.end();
    console.log(`${load.summary()}; clients connected again ${load.report(drain)}`);
    if (load.hasFailed) process.exitCode = 1;
  } finally {
    load.close();
    await Promise.all(processes.map(({ child }) => stopProcess(child, "SIGKILL")));
    balancer.kill("SIGKILL");
    await redis.stop();
    await database.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function balancerConfig(port: number, places: readonly { port: number; metricsPort: number }[]): Promise<string> {
  const text = await readFile(new URL("../docs/operations/haproxy.cfg", import.meta.url), "utf8");
  let index = 0;
  return text
    .replace("bind :8080", `bind 127.0.0.1:${port}`)
    .replace("balance source", "balance roundrobin") // All clients have one address here.
    .replace("hash-type consistent", "")
    .replace(/(server \w) \S+ port \d+/g, (_all, name: string) => {
      const { port: own, metricsPort } = places[index++]!;
      return `${name} 127.0.0.1:${own} port ${metricsPort}`;
    });
}

async function untilServed(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const response = await fetch(`${url}/healthz`).catch(() => undefined);
    if (response?.ok) return;
    await pause(100);
  }
  throw new Error("The balancer doesn't reach the service.");
}

/** Users who call, talk, and listen. */
class Load {
  readonly #url: string;
  readonly #failures: string[] = [];
  readonly #sent = new Set<string>();
  readonly #listeners: { socket: Socket; heard: Set<string> }[] = [];
  readonly #reconnectedMs: number[] = [];
  #roomId = "";
  #calls = 0;
  #ended = false;
  #working: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.#url = url;
  }

  get hasFailed(): boolean {
    return this.#failures.length > 0 || this.#missed() > 0;
  }

  async begin(clients: number): Promise<void> {
    const tokens = await Promise.all(Array.from({ length: clients + 1 }, () => this.#register()));
    const [hostToken, ...others] = tokens as [string, ...string[]];
    const room = { name: "Night owls", category: "music", language: "en" };
    this.#roomId = ((await this.#call("POST", "/rooms", hostToken, room)) as { id: string }).id;
    const speaker = await this.#listen(hostToken);
    await Promise.all(others.map((token) => this.#listen(token)));
    const callers = Array.from({ length: 8 }, (_, index) => this.#callOn(others[index % others.length]!));
    this.#working = Promise.all([this.#talk(speaker), ...callers]);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#working;
    const givenUpMs = performance.now() + 10_000;
    while (this.#missed() > 0 && performance.now() < givenUpMs) await pause(100);
  }

  close(): void {
    this.#ended = true;
    for (const { socket } of this.#listeners) socket.disconnect();
  }

  summary(): string {
    const failed = `${this.#failures.length} failed${this.#failures.length > 0 ? ` (${this.#failures[0]})` : ""}`;
    return `${this.#calls} calls, ${failed}; ${this.#sent.size} messages, ${this.#missed()} not heard`;
  }

  /** Returns how evenly clients connected again: the busiest second, compared with the mean of the seconds of moves. */
  report(drainSeconds: number): string {
    const seconds = new Map<number, number>();
    for (const ms of this.#reconnectedMs)
      seconds.set(Math.floor(ms / 1000), (seconds.get(Math.floor(ms / 1000)) ?? 0) + 1);
    const most = Math.max(0, ...seconds.values());
    const mean = this.#reconnectedMs.length / Math.max(1, seconds.size);
    return `${this.#reconnectedMs.length} times, at most ${most} in a second, ${(most / mean || 0).toFixed(1)} × the mean (moves within ${drainSeconds} s)`;
  }

  #missed(): number {
    let missed = 0;
    for (const { heard } of this.#listeners) for (const id of this.#sent) if (!heard.has(id)) missed += 1;
    return missed;
  }

  async #register(): Promise<string> {
    const username = `u${newId().replaceAll("-", "").slice(-20)}`;
    const password = "correct horse battery";
    const names = { full_name: "Ada Lovelace", username, email: `${username}@example.com`, terms_accepted: true };
    const made = await this.#call("POST", "/auth/register", undefined, {
      ...names,
      password,
      confirm_password: password,
    });
    return (made as { accessToken: string }).accessToken;
  }

  async #call(method: string, path: string, token?: string, body?: object): Promise<unknown> {
    this.#calls += 1;
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body && { "content-type": "application/json" }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { data: unknown; error?: { code: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.error?.code}`);
    return answer.data;
  }

  async #callOn(token: string): Promise<void> {
    while (!this.#ended) {
      for (const path of ["/wallet", `/rooms/${this.#roomId}`])
        await this.#call("GET", path, token).catch((error: Error) => this.#failures.push(String(error.cause ?? error)));
      await pause(20);
    }
  }

  /** Resolves when the user has joined. When they connect again, they join again, and get what they missed by `seq`. */
  async #listen(token: string): Promise<Socket> {
    const socket = io(this.#url, { auth: { token }, transports: ["websocket"], forceNew: true });
    const heard = new Set<string>();
    let seq = 0;
    const hear = (event: RoomEvent) => {
      seq = Math.max(seq, event.seq ?? 0);
      if (event.message) heard.add(event.message.id);
    };
    socket.on("room:new_message", hear);
    let first = true;
    const { promise, resolve } = Promise.withResolvers<Socket>();
    socket.on("connect", async () => {
      if (!first) this.#reconnectedMs.push(performance.now());
      const since = seq;
      for (let joined = false; !joined && socket.connected; ) {
        const answer = (await socket.emitWithAck("room:join", { room_id: this.#roomId }).catch(() => undefined)) as
          | Acknowledged
          | undefined;
        joined = answer?.success ?? false;
      }
      if (!first) await this.#catchUp(since, token, heard);
      first = false;
      resolve(socket);
    });
    this.#listeners.push({ socket, heard });
    return promise;
  }

  /** The stored messages heal what `room:sync` doesn't reach after an actor has ended. */
  async #catchUp(_since: number, token: string, heard: Set<string>): Promise<void> {
    const page = (await this.#call("GET", `/rooms/${this.#roomId}/messages?limit=100`, token).catch((error: Error) => {
      this.#failures.push(String(error.cause ?? error));
    })) as { items: { id: string }[] } | undefined;
    for (const { id } of page?.items ?? []) heard.add(id);
  }

  async #talk(socket: Socket): Promise<void> {
    for (let count = 0; !this.#ended; count += 1) {
      const message = { room_id: this.#roomId, body: `message ${count}`, client_id: `${count}` };
      for (let said = false; !said; ) {
        if (!socket.connected) await once(socket as never, "connect");
        const answer = (await socket
          .timeout(5000)
          .emitWithAck("room:message", message)
          .catch(() => undefined)) as Acknowledged | undefined;
        said = answer?.success ?? false;
        if (answer?.success) this.#sent.add(answer.data.id);
        else await pause(50);
      }
      await pause(50);
    }
  }
}
