import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import pg from "pg";
import { logger } from "#shared/kernel/logger.ts";
import { installJobs } from "./install-jobs.ts";
import { locks } from "./locks.ts";

/** What a file in `migrations/` exports. */
interface Migration {
  up(run: (sql: string) => Promise<void>): Promise<void>;
  /**
   * What it demands of writes to older tables and the previous release fulfils: by names such as
   * `users.users_age_check`, why.
   */
  readonly compatible?: Readonly<Record<string, string>>;
}

const folder = new URL("../../migrations/", import.meta.url);
const suffix = ".ts";

/**
 * Applies the migrations that are missing, each in a transaction, and installs the job tables, under an advisory lock:
 * processes that start together wait for the first. Returns the names applied. `only`: the names to apply, if not all.
 */
export async function migrate(databaseUrl: string, only?: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "hubbub migrate" });
  client.on("error", (error) => logger.error({ err: error }, "migration connection lost"));
  await client.connect();
  try {
    await client.query("SELECT pg_advisory_lock($1)", [locks.migrations]);
    // Commits needn't wait for the disk: what a crash of the machine takes, the next start applies again.
    await client.query("SET synchronous_commit = off");
    const missing = (await missingFiles(client)).filter((file) => !only || only.includes(nameOf(file)));
    for (const file of missing) await applyFile(client, file);

    await installJobs(client);
    return missing.map(nameOf);
  } finally {
    await client.end();
  }
}

const nameOf = (file: string): string => basename(file, suffix);

/** Returns the names of all migrations of this release, in order. */
export const allMigrations = async (): Promise<string[]> => (await migrationFiles()).map(nameOf);

/** Returns what the migrations that aren't in `known` declare as compatible with the previous release. */
export async function compatibleDemands(known: readonly string[]): Promise<Record<string, string>> {
  const files = (await migrationFiles()).filter((file) => !known.includes(nameOf(file)));
  const migrations = await Promise.all(files.map(load));
  return Object.assign({}, ...migrations.map(({ compatible }) => compatible));
}

const load = (file: string): Promise<Migration> => import(new URL(file, folder).href);

const migrationFiles = async (): Promise<string[]> =>
  (await readdir(folder)).filter((file) => file.endsWith(suffix)).sort();

/** Returns the files in `migrations/` that are not yet applied to this database, in order. */
async function missingFiles(client: pg.Client): Promise<string[]> {
  await client.query(
    "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  const { rows } = await client.query<{ name: string }>("SELECT name FROM migrations");
  const applied = new Set(rows.map(({ name }) => name));

  return (await migrationFiles()).filter((file) => !applied.has(nameOf(file)));
}

async function applyFile(client: pg.Client, file: string): Promise<void> {
  const { up } = await load(file);
  await client.query("BEGIN");
  try {
    await up(async (sql) => void (await client.query(sql)));
    await client.query("INSERT INTO migrations (name) VALUES ($1)", [nameOf(file)]);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw new Error(`Migration ${nameOf(file)} failed: ${String(error)}`, { cause: error });
  }
}
