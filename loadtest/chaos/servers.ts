import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { locks } from "#shared/db/locks.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { type PgBouncer, startPgBouncer } from "#shared/testing/pgbouncer.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";
import { DamagedNetwork } from "./damaged-network.ts";

/** The PostgreSQL server, which survives being killed: what was committed is on disk. */
export class Database {
  readonly #folder: string;
  #server: EmbeddedPostgres;

  private constructor(folder: string, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(folder: string): Promise<Database> {
    const own = join(folder, "postgres");
    return new Database(own, await startEmbeddedPostgres(own));
  }

  /** The address of the server itself, without a proxy. Changes when it is restarted. */
  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  /** Ends it without a checkpoint: as the server does it itself (SIGQUIT), or all its processes at once (SIGKILL). */
  async kill(signal: "SIGQUIT" | "SIGKILL"): Promise<void> {
    await signalPostgres(this.#folder, signal);
    await this.#server.ended;
  }

  async restart(): Promise<void> {
    this.#server = await startEmbeddedPostgres(this.#folder);
  }

  async stop(): Promise<void> {
    // An interrupted run may have frozen it, or killed it.
    await this.thaw().catch(() => {});
    await this.#server.stop();
  }

  /** Makes it accept connections, but send no responses. */
  freeze(): Promise<void> {
    return signalPostgres(this.#folder, "SIGSTOP");
  }

  thaw(): Promise<void> {
    return signalPostgres(this.#folder, "SIGCONT");
  }

  /** Ends the connections of all others. */
  async disconnectAll(): Promise<void> {
    await this.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
    );
  }

  /** Ends the connections that hold the locks of relays: what they own goes to other processes. */
  async disconnectRelays(): Promise<void> {
    await this.query(
      "SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks WHERE locktype = 'advisory' AND classid = $1) AS l",
      [locks.outboxRelay],
    );
  }

  /** Sees the database as it is now for a while, as a backup does: until then, nothing that was deleted is cleared. */
  holdSnapshot(ms: number): Promise<void> {
    return this.#connected(async (client) => {
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
      await client.query("SELECT FROM users LIMIT 1");
      await pause(ms);
      await client.query("COMMIT");
    });
  }

  /** Runs a statement on a connection of its own. */
  query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#connected(async (client) => (await client.query<Row>(text, [...values])).rows);
  }

  async #connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {}); // The statement rejects, too.
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

/** PgBouncer between the processes and the PostgreSQL server, whose address may change. */
export class Bouncer {
  readonly #between: DamagedNetwork;
  readonly #databaseUrl: string;
  #server: PgBouncer;

  private constructor(between: DamagedNetwork, databaseUrl: string, server: PgBouncer) {
    this.#between = between;
    this.#databaseUrl = databaseUrl;
    this.#server = server;
  }

  static async start(database: Database): Promise<Bouncer> {
    const between = await DamagedNetwork.start(() => database.port);
    const url = Object.assign(new URL(database.url), { port: `${between.port}` }).href;
    return new Bouncer(between, url, await startPgBouncer(url));
  }

  get port(): number {
    return Number(new URL(this.#server.url).port);
  }

  kill(): Promise<void> {
    return this.#server.stop();
  }

  /** It may start while the database is away. */
  async restart(): Promise<void> {
    this.#server = await startPgBouncer(this.#databaseUrl, this.port);
  }

  async stop(): Promise<void> {
    await this.#server.stop();
    await this.#between.stop();
  }
}

/** The Redis server, which loses everything when it is restarted. */
export class Store {
  #server: TestRedis;

  private constructor(server: TestRedis) {
    this.#server = server;
  }

  static async start(): Promise<Store> {
    return new Store(await startRedis());
  }

  get url(): string {
    return this.#server.url;
  }

  get port(): number {
    return this.#server.port;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }

  async restart(): Promise<void> {
    this.#server = await startRedis(this.port);
  }

  /** Makes it lose everything, and keep its connections. */
  async empty(): Promise<void> {
    const redis = new Redis(this.url);
    redis.on("error", () => {}); // The command rejects, too.
    await redis.flushall().finally(() => redis.disconnect());
  }

  freeze(): void {
    this.#server.freeze();
  }

  thaw(): void {
    this.#server.thaw();
  }
}
