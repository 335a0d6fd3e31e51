import { findEmbeddedPostgres } from "#shared/db/embedded-postgres.ts";
import { migrate } from "#shared/db/migrate.ts";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";
import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import type { Config } from "./config.ts";
import { findClaim } from "./data-folder.ts";
import { postgresFolder, type ServiceDatabase, startDatabase } from "./start-database.ts";

const interruptions = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs `work` with an open database: the one at DATABASE_URL, that of the service running on the data folder, or an
 * embedded server started for this command. Applies pending migrations first if `migrated` is set, and always on a
 * server started here; with `only`, those with these names.
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
    const applied = migrated || ours ? await migrate(database.directUrl, only) : [];
    await openDatabase(database.url, database.directUrl);
    return await work(applied, database.directUrl).finally(closeDatabase);
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
  const { url } = server;
  return { url, directUrl: url, announce: async () => undefined, release: async () => undefined };
}
