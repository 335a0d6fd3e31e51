import { join } from "node:path";
import pg from "pg";
import { findEmbeddedPostgres, startEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "./config.ts";
import { claimDataFolder, findClaim } from "./data-folder.ts";

/** The service's database, as this process reaches it. */
interface ServiceDatabase {
  readonly url: string;
  /** Notes where the service answers, so that others who want the data folder can name it. */
  announce(serviceUrl: string): Promise<void>;
  /** Ends what was started for this process. */
  release(): Promise<void>;
}

const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"];
const postgresFolder = (config: Config) => join(config.dataDir, "postgres");

/**
 * Where DATABASE_URL says, or the embedded server, which is started for this process.
 * `onLost` is called when the embedded server ends though nobody told it to.
 * @throws OperatorError when another process works on the data folder.
 */
export async function startDatabase(config: Config, command: string, onLost: () => void): Promise<ServiceDatabase> {
  if (config.databaseUrl) {
    await checkDatabase(config.databaseUrl);
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
 * Runs a command's work with the database open: the one of DATABASE_URL, the one of the service that runs on the data
 * folder, or an embedded server that is started for the command and stopped after it. With `migrated`, and on a server
 * started here, missing migrations are applied first.
 */
export async function withDatabase<T>(
  config: Config,
  { command, migrated }: { command: string; migrated: boolean },
  work: (applied: string[]) => Promise<T>,
): Promise<T> {
  const running = await findRunning(config);
  const database = running ?? (await startDatabase(config, command, () => logger.error("the database ended")));
  const interrupt = () => void database.release().finally(() => process.exit(130));
  for (const signal of interruptions) process.once(signal, interrupt);
  try {
    const ours = !running && !config.databaseUrl;
    const applied = migrated || ours ? await migrate(database.url) : [];
    await openDatabase(database.url);
    return await work(applied).finally(closeDatabase);
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
    throw new OperatorError(`Process ${holder.pid} (${holder.command}) is starting or ending. Try again in a moment.`);
  return { url: server.url, announce: async () => undefined, release: async () => undefined };
}

/** @throws OperatorError when it is out of reach, or one that the migrations cannot be applied to. */
async function checkDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const { host, port, database } = client;
  const name = `The database "${database}" at ${host}:${port} (DATABASE_URL)`;
  const asked = await askServer(client).catch((error: Error & { code?: string }) => {
    throw new OperatorError(`${name} cannot be reached: ${error.message || error.code}`, { cause: error });
  });
  if (asked.version < 18) throw new OperatorError(`${name} is of PostgreSQL ${asked.version}; 18 is needed.`);
  if (asked.encoding !== "UTF8")
    throw new OperatorError(`${name} has the encoding ${asked.encoding}. Make one with ENCODING 'UTF8'.`);
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
