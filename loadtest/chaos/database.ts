import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { locks } from "#shared/db/locks.ts";
import { signalPostgres } from "#shared/testing/kill-hard.ts";
import { ask, startStandby } from "#shared/testing/standby.ts";
import { DamagedNetwork } from "./damaged-network.ts";

/**
 * The PostgreSQL server, which survives being killed: what was committed is on disk. It may have a streaming replica,
 * which has all that it acknowledges, and may take its place.
 */
export class Database {
  #folder: string;
  #server: EmbeddedPostgres;
  #replica: { readonly folder: string; server: EmbeddedPostgres } | undefined;
  /** From the replica to the server, whose port may change. */
  #feed: DamagedNetwork | undefined;

  private constructor(folder: string, server: EmbeddedPostgres) {
    this.#folder = folder;
    this.#server = server;
  }

  static async start(folder: string): Promise<Database> {
    const own = join(folder, "postgres");
    return new Database(own, await startEmbeddedPostgres(own));
  }

  /** Starts its replica. From then on, it acknowledges what the replica has on disk, too. */
  async replicate(): Promise<void> {
    this.#feed ??= await DamagedNetwork.start(() => this.port);
    const folder = `${this.#folder}-replica`;
    const source = { ...this.#server, port: this.#feed.port };
    this.#replica = { folder, server: await startStandby(this.#folder, source, folder) };
    await this.query("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await this.query("SELECT pg_reload_conf()");
  }

  get hasReplica(): boolean {
    return this.#replica !== undefined;
  }

  /** The port of the replica; that of the server while there is none. */
  get replicaPort(): number {
    return (this.#replica?.server ?? this.#server).port;
  }

  /** Kills the server, whose place the replica takes, and starts another replica. */
  async failOver(): Promise<void> {
    const { folder, server } = this.#replica!;
    const lost = this.#folder;
    await this.kill("SIGKILL");
    await ask(server.url, "SELECT pg_promote()");
    this.#replica = undefined;
    [this.#folder, this.#server] = [folder, server];
    await rm(lost, { recursive: true, force: true });
    await this.replicate();
  }

  /** Kills the replica, and starts it again after a while: nothing is acknowledged meanwhile. */
  async loseReplica(ms: number): Promise<void> {
    const { folder, server } = this.#replica!;
    await signalPostgres(folder, "SIGKILL");
    await server.ended;
    await pause(ms);
    this.#replica = { folder, server: await startEmbeddedPostgres(folder) };
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

  /** Stops the server, with a checkpoint. */
  end(): Promise<void> {
    return this.#server.stop();
  }

  async stop(): Promise<void> {
    // An interrupted run may have frozen it, or killed it.
    await this.thaw().catch(() => {});
    await this.#server.stop();
    await this.#replica?.server.stop();
    await this.#feed?.stop();
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
