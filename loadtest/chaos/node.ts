import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { freePort } from "#shared/testing/free-port.ts";
import { type SpawnedService, spawnService } from "#shared/testing/spawned-service.ts";
import type { Bouncer } from "./bouncer.ts";
import { DamagedNetwork } from "./damaged-network.ts";
import type { Database } from "./database.ts";
import type { Store } from "./store.ts";

interface Options {
  readonly name: string;
  readonly environment: Record<string, string>;
  readonly database: Database;
  /** Between it and the database, if there is one. */
  readonly bouncer?: Bouncer | undefined;
  readonly store: Store;
}

const restartPauseMs = 200;
/** A process that gets SIGTERM exits within this time. */
const exitWithinMs = 20_000;

/** Why a process ended: its last fatal log record (in JSON), or the last line that it printed. */
function lastWords(output: string): string {
  const lines = output.trim().split("\n");
  return lines.findLast((line) => line.includes('"level":60')) ?? lines.at(-1)!;
}

/**
 * A process of the service, with proxies of its own between it and the servers. It is started again when it ends, as by
 * a container platform.
 */
export class ServiceNode {
  readonly name: string;
  readonly url: string;
  readonly redis: DamagedNetwork;
  /** To the database, or to PgBouncer. */
  readonly postgres: DamagedNetwork;
  /** To the database, whose address may change, and to its replica. */
  readonly #others: readonly DamagedNetwork[];
  /** What it did wrong: it ended by itself, or not within the time that a stop may take. */
  readonly faults: string[] = [];
  /** The output of all its runs. */
  readonly outputs: (() => string)[] = [];
  /** Why its last start failed, if one did: it may, while a server is away. */
  startError = "";
  /** How far its clock is off, from its next start on. */
  clockOffsetMs = 0;
  readonly #environment: Record<string, string>;
  #service: SpawnedService | undefined;
  #mayEnd = false;
  #isOver = false;
  readonly #supervised: Promise<void>;

  private constructor(options: Options, url: string, networks: readonly DamagedNetwork[]) {
    this.name = options.name;
    this.url = url;
    [this.redis, this.postgres, ...this.#others] = networks as [DamagedNetwork, DamagedNetwork, ...DamagedNetwork[]];
    this.#environment = options.environment;
    this.#supervised = this.#supervise();
  }

  static async start(options: Options): Promise<ServiceNode> {
    const { database, bouncer, store } = options;
    const [port, redis, postgres, direct, replica] = await Promise.all([
      freePort(),
      DamagedNetwork.start(() => store.port),
      DamagedNetwork.start(() => (bouncer ?? database).port),
      DamagedNetwork.start(() => database.port),
      DamagedNetwork.start(() => database.replicaPort),
    ]);
    const through = (url: string, proxy: DamagedNetwork) => Object.assign(new URL(url), { port: `${proxy.port}` }).href;
    const environment = {
      ...options.environment,
      PORT: `${port}`,
      DATABASE_URL: through(database.url, postgres),
      ...(bouncer && { DATABASE_DIRECT_URL: through(database.url, direct) }),
      ...(database.hasReplica && { DATABASE_REPLICA_URL: through(database.url, replica) }),
      // Sentinel names the server itself.
      REDIS_URL: store.hasSuccessor ? store.url : through(store.url, redis),
    };
    return new ServiceNode({ ...options, environment }, `http://127.0.0.1:${port}`, [redis, postgres, direct, replica]);
  }

  /** Whether it hosts actors and connections. */
  get hosts(): boolean {
    return this.#environment.ROLES?.includes("engine") ?? true;
  }

  /** The running process; undefined while it starts. */
  get service(): SpawnedService | undefined {
    return this.#service;
  }

  async #supervise(): Promise<void> {
    while (!this.#isOver) {
      this.#mayEnd = false;
      const service = await spawnService(this.#clocked()).catch((error: Error) => {
        this.startError = error.message;
        return undefined;
      });
      if (service) {
        this.outputs.push(service.output);
        this.#service = service;
        const [code, signal] = (await once(service.child, "close")) as [number | null, string | null];
        this.#service = undefined;
        if (!this.#mayEnd)
          this.faults.push(`${this.name} ended by itself (${code ?? signal}). ${lastWords(service.output())}`);
        else if (signal === null && code !== 0) this.faults.push(`${this.name} was stopped and exited with ${code}.`);
      }
      if (!this.#isOver) await pause(restartPauseMs);
    }
  }

  #clocked(): Record<string, string> {
    if (this.clockOffsetMs === 0) return this.#environment;
    const ahead = `const R = Date; globalThis.Date = class extends R { constructor(...a) { if (a.length) super(...a); else super(R.now() + ${this.clockOffsetMs}); } static now() { return R.now() + ${this.clockOffsetMs}; } };`;
    const { NODE_OPTIONS = "" } = this.#environment;
    return {
      ...this.#environment,
      NODE_OPTIONS: `${NODE_OPTIONS} --import=data:text/javascript,${encodeURIComponent(ahead)}`,
    };
  }

  /** Sends a signal to the process, if there is one. */
  signal(signal: NodeJS.Signals): void {
    if (signal === "SIGKILL") this.#mayEnd = true;
    this.#service?.child.kill(signal);
  }

  /** Asks the process to end, and waits until it has. */
  async end(): Promise<void> {
    const service = this.#service;
    if (!service) return;
    this.#mayEnd = true;
    const isLate = pause(exitWithinMs, "late", { ref: false });
    if ((await Promise.race([service.stop(), isLate])) !== "late") return;
    this.faults.push(`${this.name} did not exit within ${exitWithinMs / 1000} s of SIGTERM.`);
    service.child.kill("SIGKILL");
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.#isOver = true;
    while (!(await Promise.race([this.#supervised.then(() => true), pause(50, false)]))) this.signal("SIGKILL");
    await Promise.all([this.redis, this.postgres, ...this.#others].map((network) => network.stop()));
  }
}
