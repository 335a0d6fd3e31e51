import { join } from "node:path";
import pg from "pg";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "./config.ts";
import { claimDataFolder, findClaim } from "./data-folder.ts";

/** The service's database, as seen by this process. */
interface ServiceDatabase {
  readonly url: string;
  /** Stores the URL of the service for the error messages of other processes that try to use the data folder. */
  announce(serviceUrl: string): Promise<void>;
  /** Stops what was started for this process. */
  release(): Promise<void>;
}

const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"];
const postgresFolder = (config: Config) => join(config.dataDir, "postgres");

/** Names the database of a configuration, without its password. */
export function databaseName({ databaseUrl, dataDir }: Config): string {
  if (!databaseUrl) return `embedded database in ${dataDir}`;
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return `database "${database}" at ${host}:${port} (DATABASE_URL)`;
}

/**
 * Returns the database at DATABASE_URL, or starts the embedded server for this process.
 * @param onLost called if the embedded server stops unexpectedly
 * @throws OperatorError if another process uses the data folder.
 */
export async function startDatabase(config: Config, command: string, onLost: () => void): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    await checkDatabase(config);
    return { url: config.databaseUrl, announce: async () => undefined, release: async () => undefined };
  }
  const claim = await claimDataFolder(config.dataDir, command);
  try {
    const server = await startEmbeddedPostgres(postgresFolder(config));
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

/**
 * Runs `work` with an open database: the one at DATABASE_URL, that of the service running on the data folder, or an
 * embedded server started for this command. Applies pending migrations first if `migrated` is set, and always on a server
 * started here; with `only`, those with these names.
 */
export async function withDatabase<T>(
  config: Config,
  { command, migrated, only }: { command: string; migrated: boolean; only?: readonly string[] },
  work: (applied: string[], url: string) => Promise<T>,
): Promise<T> {
  const running = await findRunning(config);
  const database = running ?? (await startDatabase(config, command, () => logger.error("the database has stopped")));
  const interrupt = () => void database.release().finally(() => process.exit(130));
  for (const signal of interruptions) process.once(signal, interrupt);
  try {
    const ours = !running && !config.databaseUrl;
    const applied = migrated || ours ? await migrate(database.url, only) : [];
    await openDatabase(database.url);
    return await work(applied, database.url).finally(closeDatabase);
  } finally {
    await database.release();
    for (const signal of interruptions) process.off(signal, interrupt);
  }
}

async function findRunning(config: Config): Promise<ServiceDatabase | undefined> {
  if (config.databaseUrl) return undefined;
  const holder = await findClaim(config.dataDir);
  if (!holder) return undefined;
  const server = await findEmbeddedPostgres(postgresFolder(config));
  if (!server)
    throw new OperatorError(
      `Process ${holder.pid} (${holder.command}) is starting or stopping. Try again in a moment.`,
    );
  return { url: server.url, announce: async () => undefined, release: async () => undefined };
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
