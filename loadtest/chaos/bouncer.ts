import { type PgBouncer, startPgBouncer } from "#shared/testing/pgbouncer.ts";
import { DamagedNetwork } from "./damaged-network.ts";
import type { Database } from "./database.ts";

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
