import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import { Umzug } from "umzug";
import { logger } from "#shared/kernel/logger.ts";
import { installJobs } from "./install-jobs.ts";

/** What a file in `migrations/` exports. */
interface Migration {
  up(run: (sql: string) => Promise<void>): Promise<void>;
}

const folder = new URL("../../migrations/", import.meta.url);
const suffix = ".ts";
/** Any constant: whoever migrates this database holds this lock. */
const lockKey = 7_240_031;

/**
 * Applies the migrations that are missing, each in a transaction, and makes the tables of the jobs, under an advisory lock:
 * processes that start together wait for the first. Answers the names applied.
 */
export async function migrate(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "hubbub migrate" });
  client.on("error", (error) => logger.error({ err: error }, "migration connection lost"));
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [lockKey]);
    await client.query(
      "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
    );
    const umzug = new Umzug({
      migrations: async () => {
        const files = (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();
        return files.map((file) => ({ name: basename(file, suffix), up: () => applyFile(client, file) }));
      },
      storage: {
        executed: async () =>
          (await client.query("SELECT name FROM migrations ORDER BY name")).rows.map((row) => row.name),
        // `applyFile` writes the name in the migration's own transaction.
        logMigration: async () => undefined,
        unlogMigration: async () => undefined,
      },
      logger: undefined,
    });
    const applied = await umzug.up();
    await installJobs(client);
    return applied.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

async function applyFile(client: pg.Client, file: string): Promise<void> {
  const { up } = (await import(new URL(file, folder).href)) as Migration;
  await client.query("BEGIN");
  try {
    await up(async (sql) => void (await client.query(sql)));
    await client.query("INSERT INTO migrations (name) VALUES ($1)", [basename(file, suffix)]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}
