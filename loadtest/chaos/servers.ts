import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { startRedis, type TestRedis } from "#shared/testing/redis.ts";

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

  /** Runs a statement on a connection of its own. */
  async query<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url });
    client.on("error", () => {}); // The statement rejects, too.
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
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

  freeze(): void {
    this.#server.freeze();
  }

  thaw(): void {
    this.#server.thaw();
  }
}
