import { join } from "node:path";
import pg from "pg";
import { startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "./config.ts";
import { claimDataFolder } from "./data-folder.ts";

/** The service's database, as seen by this process. */
export interface ServiceDatabase {
  readonly url: string;
  /** Stores the URL of the service for the error messages of other processes that try to use the data folder. */
  announce(serviceUrl: string): Promise<void>;
  /** Stops what was started for this process. */
  release(): Promise<void>;
}

export const postgresFolder = (config: Config) => join(config.dataDir, "postgres");

/** Names the database of a configuration, without its password. */
export function databaseName({ databaseUrl, dataDir }: Config): string {
  if (!databaseUrl) return `embedded database in ${dataDir}`;
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return `database "${database}" at ${host}:${port} (DATABASE_URL)`;
}

/**
 * Returns the database at DATABASE_URL, or starts the embedded server for this process.
 * @param onLost called if the embedded server stops unexpectedly
 * @param onWaiting called when this process only waits for another: what it does meanwhile takes no longer
 * @throws OperatorError if another process uses the data folder.
 */
export async function startDatabase(
  config: Config,
  command: string,
  onLost: () => void,
  onWaiting: () => void = () => {},
): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    onWaiting();
    await checkDatabase(config);
    return { url: config.databaseUrl, announce: async () => undefined, release: async () => undefined };
  }
  const claim = await claimDataFolder(config.dataDir, command);
  try {
    const server = await startEmbeddedPostgres(postgresFolder(config), { onWaiting });
    let stopping = false;
    void server.ended.then(() => {
      if (!stopping) onLost();
    });
    return {
      url: server.url,
      announce: claim.announce,
      release: async () => {
        stopping = true;
        await server.stop();
        await claim.release();
      },
    };
  } catch (error) {
    await claim.release();
    throw error;
  }
}

/** @throws OperatorError if the database can't be reached or isn't suitable. */
async function checkDatabase(config: Config): Promise<void> {
  const client = new pg.Client({ connectionString: config.databaseUrl, connectionTimeoutMillis: 10_000 });
  const name = databaseName(config);
  const asked = await askServer(client).catch((error: Error & { code?: string }) => {
    throw new OperatorError(`Can't connect to the ${name}: ${error.message || error.code}`, { cause: error });
  });
  if (asked.version < 18)
    throw new OperatorError(`The ${name} runs PostgreSQL ${asked.version}. PostgreSQL 18 is required.`);
  if (asked.encoding !== "UTF8")
    throw new OperatorError(`The ${name} has the encoding ${asked.encoding}. Create a database with ENCODING 'UTF8'.`);
}

async function askServer(client: pg.Client): Promise<{ version: number; encoding: string }> {
  await client.connect();
  const { rows } = await client.query<{ version: number; encoding: string }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version,
       current_setting('server_encoding') AS encoding`,
  );
  await client.end();
  return rows[0]!;
}
