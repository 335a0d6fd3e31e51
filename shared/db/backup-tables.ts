import pg from "pg";
import { isoNow } from "#shared/kernel/clock.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { jobsSchema } from "./install-jobs.ts";

/** What a backup says of itself. */
export interface BackupHead {
  readonly service: string;
  readonly createdAt: string;
  /** The names of the migrations that the rows need, in order. */
  readonly migrations: readonly string[];
  /** The divided tables, and before which ID the first partition of each ends. */
  readonly divided?: Readonly<Record<string, string>>;
}

const schemas = `'^(public|${jobsSchema}|ext_.*)$'`;

export interface Table {
  /** Quoted, with its schema. */
  readonly name: string;
  /** Quoted and separated by commas, without generated columns. */
  readonly columns: string;
}

/** Reads what a backup in this transaction says of itself. */
export async function headOf(client: pg.Client, service: string): Promise<BackupHead> {
  const { rows } = await client.query<{ name: string }>("SELECT name FROM migrations ORDER BY name");
  return {
    service,
    createdAt: isoNow(),
    migrations: rows.map(({ name }) => name),
    divided: await firstBoundaries(client),
  };
}

async function firstBoundaries(client: pg.Client): Promise<Record<string, string>> {
  const found = await client.query("SELECT to_regclass('table_partitions') IS NOT NULL AS stands");
  if (!found.rows[0].stands) return {};
  const { rows } = await client.query<{ table: string; until: string }>(
    `SELECT "table", first_id_at(min("until")) AS until FROM table_partitions GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ table, until }) => [table, until]));
}

/** What was taken from the tables so that rows can be copied in any order. */
interface Emptied {
  readonly triggering: readonly string[];
  readonly keys: readonly { table: string; name: string; definition: string }[];
}

/** Empties all tables, without foreign keys and triggers. @throws OperatorError if there are users */
export async function emptyTables(client: pg.Client): Promise<Emptied> {
  const { rows } = await client.query("SELECT 1 FROM users LIMIT 1");
  if (rows.length > 0)
    throw new OperatorError("The database isn't empty. Restore into a new DATA_DIR or a new database.");

  const tables = await tablesOf(client);
  const keys = await foreignKeysOf(client);
  for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
  const triggering = [...tables.map(({ name }) => name), ...(await partitionsOf(client))];
  for (const name of triggering) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
  await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);
  return { triggering, keys };
}

/** Gives the tables their triggers and foreign keys again, which checks all rows against each other. */
export async function checkTables(client: pg.Client, { triggering, keys }: Emptied): Promise<void> {
  for (const name of triggering) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
  for (const { table, name, definition } of keys)
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
}

/** Returns all tables with rows of their own or of their partitions, except the list of migrations. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name,
       string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS columns
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE n.nspname ~ ${schemas} AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.oid <> 'public.migrations'::regclass
     GROUP BY n.nspname, c.relname ORDER BY 1`,
  );
  return rows;
}

/** Those of ours: they have triggers of their own. */
async function partitionsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT oid::regclass::text AS name FROM pg_class WHERE relispartition AND relkind = 'r' AND relnamespace = 'public'::regnamespace",
  );
  return rows.map(({ name }) => name);
}

export async function sequenceStatements(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `SELECT format('SELECT setval(%L, %s, true);', format('%I.%I', schemaname, sequencename), last_value) AS statement
     FROM pg_sequences WHERE schemaname ~ ${schemas} AND last_value IS NOT NULL ORDER BY schemaname, sequencename`,
  );
  return rows.map(({ statement }) => statement);
}

async function foreignKeysOf(client: pg.Client): Promise<{ table: string; name: string; definition: string }[]> {
  const { rows } = await client.query(
    `SELECT format('%I.%I', n.nspname, c.relname) AS table, quote_ident(k.conname) AS name, pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE k.contype = 'f' AND k.conparentid = 0 AND n.nspname ~ ${schemas} ORDER BY 1, 2`,
  );
  return rows;
}

/** Without timeouts, because a table may be large. */
export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, application_name: "hubbub backup" });
  let lost: Error | undefined;
  client.on("error", (error) => {
    lost = error;
  });
  await client.connect();
  try {
    return await work(client);
  } catch (error) {
    throw lost ?? error;
  } finally {
    await client.end().catch(() => undefined); // The first error matters.
  }
}
