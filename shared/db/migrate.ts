import { readdir } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { extended } from "#shared/kernel/extended.ts";
import { logger } from "#shared/kernel/logger.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { installJobs } from "./install-jobs.ts";
import { locks } from "./locks.ts";
import { adaptTo } from "./older-postgres.ts";
import { divideTables } from "./partition-table.ts";
import { byPartition } from "./partitioned-statements.ts";

/** What a file in `migrations/` exports. */
export interface Migration {
  up(run: (sql: string) => Promise<void>): Promise<void>;
  /**
   * Runs each statement on its own, without a transaction: to build an index `CONCURRENTLY`, to validate a constraint,
   * or to fill a column in batches. What was done stays if a later one fails, and is done again.
   */
  readonly inSteps?: true;
  /**
   * What it demands of writes to older tables and the previous release fulfils: by names such as
   * `users.users_age_check`, why.
   */
  readonly compatible?: Readonly<Record<string, string>>;
  /** The schema of an extension, which its statements change. */
  readonly schema?: string;
}

/** The migrations of extensions, by their names, which begin with a schema. They come after ours. */
const ofExtensions = (): Record<string, Migration> => extended("migrations", {});

const folder = new URL("../../migrations/", import.meta.url);
const suffix = ".ts";

/** A name among the migrations while rows are restored over several connections. */
export const unfinishedRestore = "unfinished-restore";

/**
 * Applies the migrations that are missing, each in a transaction or in steps, and installs the job tables. Divides the
 * tables of a new database. If some are missing, it does so under an advisory lock: processes that start together wait
 * for the first, and all for a backup in progress. Returns the names applied. `only`: the names to apply, if not all.
 * @throws OperatorError if some are missing and the role may not apply them, or a build between two releases has made
 *   the database
 */
export async function migrate(databaseUrl: string, only?: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: "hubbub migrate" });
  client.on("error", (error) => logger.error({ err: error }, "migration connection lost"));
  await client.connect();
  try {
    const isMissing = (file: string) => !only || only.includes(nameOf(file));
    if ((await missingFiles(client)).some(isMissing)) await lock(client);
    // Commits needn't wait for the disk: what a crash of the machine takes, the next start applies again.
    await client.query("SET synchronous_commit = off");
    const missing = (await missingFiles(client)).filter(isMissing);
    if (missing.length > 0) {
      const adapt = await adaptTo(client);
      const isNew = !only && missing.length === (await migrationFiles()).length;
      for (const file of missing) await applyMigration(client, nameOf(file), await load(file), adapt);
      // Only a database that no earlier release uses: it couldn't write to the tables any more.
      if (isNew) await divideTables(client);
    }

    await installJobs(client);
    return missing.map(nameOf);
  } catch (error) {
    throw await refusalOf(client, error);
  } finally {
    await client.end();
  }
}

/** Returns what the operator must do if the role may not change the schema, such as one that only serves. */
async function refusalOf(client: pg.Client, error: unknown): Promise<unknown> {
  const { code, cause } = error as { code?: string; cause?: { code?: string } };
  if ((code ?? cause?.code) !== "42501") return error;
  const { rows } = await client.query("SELECT current_user AS role");
  const [first = "of the job tables"] = (await missingFiles(client)).map(nameOf);
  return new OperatorError(
    `The migration ${first} is missing, and the role ${rows[0].role} may not apply it: ${String(cause ?? error)}. ` +
      "Run `npm run migrate` as the role that owns the tables.",
    { cause: error },
  );
}

/** Asks again and again: a statement that waited would keep an index from being built `CONCURRENTLY`. */
async function lock(client: pg.Client): Promise<void> {
  for (let asked = 0; ; asked += 1) {
    const { rows } = await client.query("SELECT pg_try_advisory_lock($1) AS locked", [locks.migrations]);
    if (rows[0].locked) break;
    if (asked === 0) logger.info("migrations wait for another process, or for a backup");
    await pause(lockEachMs);
  }
  await client.query(
    "CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())",
  );
}

const nameOf = (file: string): string => basename(file, suffix);

/** Returns the names of all migrations of this release, in order. */
export const allMigrations = async (): Promise<string[]> => (await migrationFiles()).map(nameOf);

/** Returns the migrations that aren't in `known`, by name. */
export async function migrationsSince(known: readonly string[]): Promise<Map<string, Migration>> {
  const files = (await migrationFiles()).filter((file) => !known.includes(nameOf(file)));
  return new Map(await Promise.all(files.map(async (file) => [nameOf(file), await load(file)] as const)));
}

/** Returns what the migrations that aren't in `known` declare as compatible with the previous release. */
export async function compatibleDemands(known: readonly string[]): Promise<Record<string, string>> {
  const migrations = [...(await migrationsSince(known)).values()];
  return Object.assign({}, ...migrations.map(({ compatible }) => compatible));
}

const load = async (file: string): Promise<Migration> => ofExtensions()[file] ?? import(new URL(file, folder).href);

const migrationFiles = async (): Promise<string[]> => [
  ...(await readdir(folder)).filter((file) => file.endsWith(suffix)).sort(),
  ...Object.keys(ofExtensions()),
];

/** Returns the files in `migrations/` that are not yet applied to this database, in order. */
async function missingFiles(client: pg.Client): Promise<string[]> {
  const found = await client.query("SELECT to_regclass('migrations') IS NOT NULL AS stands");
  const { rows } = found.rows[0].stands ? await client.query("SELECT name FROM migrations") : { rows: [] };
  const applied = new Set(rows.map(({ name }) => name));
  if (applied.has(unfinishedRestore))
    throw new OperatorError(
      "A restore into this database didn't end. Remove the database, or the new DATA_DIR, and restore again.",
    );

  const files = await migrationFiles();
  const missing = files.filter((file) => !applied.has(nameOf(file)));
  if (missing.some(isOurs)) assertReleased(applied, new Set(files.map(nameOf)));
  return missing;
}

/** Extensions' begin with their schema. */
const isOurs = (name: string): boolean => /^\d{8}T\d{4}-/.test(name);

/** A later release's database has all that this one knows, so nothing is missing, and this isn't asked. */
function assertReleased(applied: ReadonlySet<string>, known: ReadonlySet<string>): void {
  const other = [...applied].find((name) => isOurs(name) && !known.has(name));
  if (other)
    throw new OperatorError(
      `This database was made by a build between two releases: it has the migration ${other}, which this one doesn't ` +
        "know. Start with an empty database or DATA_DIR, or restore a backup of the last release.",
    );
}

/** How often a process that waits for its turn asks for it. */
const lockEachMs = 100;

/** A statement that waits for a table makes all later ones wait behind it: it gives up and comes back. */
const [lockTimeoutMs, restMs, attemptsMax] = [2000, 1000, 100];

/** Applies one migration, and records it under its name. `adapt`: how this server writes a statement. */
export async function applyMigration(
  client: pg.Client,
  name: string,
  { up, inSteps, schema }: Migration,
  adapt: (sql: string) => string = (sql) => sql,
): Promise<void> {
  const apply = async () => {
    if (schema) await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}; SET LOCAL search_path TO ${schema}`);
    await up(async (sql) => {
      if (schema && /\bpublic\s*\./i.test(sql)) throw new OperatorError(`it changes what isn't in ${schema}`);
      for (const statement of inSteps ? await byPartition(client, sql) : [sql]) await client.query(adapt(statement));
    });
    if (schema) await client.query("SET LOCAL search_path TO DEFAULT");
  };
  for (let left = attemptsMax; ; left -= 1) {
    try {
      return await (inSteps && !schema ? applySteps : applyAtOnce)(client, name, apply);
    } catch (error) {
      if (left === 1 || (error as { code?: string }).code !== "55P03")
        throw new (schema ? OperatorError : Error)(`Migration ${name} failed: ${String(error)}`, { cause: error });
      logger.warn({ migration: name }, "a migration waits for a table that is in use");
      await pause(restMs);
    }
  }
}

const record = (client: pg.Client, name: string) => client.query("INSERT INTO migrations (name) VALUES ($1)", [name]);

async function applyAtOnce(client: pg.Client, name: string, apply: () => Promise<void>): Promise<void> {
  await client.query("BEGIN");
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await apply();
    await record(client, name);
    await client.query("COMMIT");
  } catch (error) {
    await client.query("ROLLBACK");
    throw error;
  }
}

/** Its statements block no one while they wait, so they may wait for long transactions. */
async function applySteps(client: pg.Client, name: string, apply: () => Promise<void>): Promise<void> {
  await apply();
  await record(client, name);
}
