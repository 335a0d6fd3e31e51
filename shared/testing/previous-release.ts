import { readFile } from "node:fs/promises";
import type pg from "pg";

/** What the previous release needs of the database. Written by `npm run release:record`. */
export interface PreviousRelease {
  /** The names of its migrations, which make its schema. */
  readonly migrations: readonly string[];
  /** What it reads and writes: the statements that it sent during its tests. */
  readonly statements: readonly string[];
}

export const previousReleaseFile = new URL("previous-release.json", import.meta.url);

export const readPreviousRelease = async (): Promise<PreviousRelease> =>
  JSON.parse(await readFile(previousReleaseFile, "utf8"));

/**
 * Returns which of these statements this schema can't run, each with PostgreSQL's reason: what they name is gone, or
 * they resolve conflicts by a unique index that is. They are planned, not run.
 */
export async function unplannable(client: pg.Client, statements: readonly string[]): Promise<string[]> {
  await client.query(`
    CREATE OR REPLACE FUNCTION pg_temp.fault_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      EXECUTE 'EXPLAIN (GENERIC_PLAN) ' || statement;
      RETURN NULL;
    EXCEPTION WHEN OTHERS THEN
      RETURN SQLERRM;
    END $$`);
  const { rows } = await client.query<{ fault: string }>(
    `SELECT fault || ', in ' || statement AS fault
     FROM unnest($1::text[]) statement, LATERAL (SELECT pg_temp.fault_of(statement) AS fault OFFSET 0) planned
     WHERE fault IS NOT NULL`,
    [statements],
  );
  return rows.map(({ fault }) => fault);
}

/** What a table demands of those who write to it. */
interface Demand {
  readonly table: string;
  /** What it is, without its name: two schemas are compared by it. */
  readonly text: string;
  /** The name under which a migration may declare that the previous release fulfils it. */
  readonly name: string;
  /** The columns that it is about; none if it is about the whole row. */
  readonly columns: readonly string[];
}

/** The types of columns, whether they may be null or left out, and constraints, unique indexes, and triggers. */
const demandsQuery = `
  WITH tables AS (
    SELECT c.oid, c.relname AS table FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
  ), columns AS (
    SELECT t.table, a.attname, a.attnotnull, format_type(a.atttypid, a.atttypmod) AS type,
      a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS is_required
    FROM tables t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
  )
  SELECT "table", 'has the type ' || type AS text, attname AS name, ARRAY[attname::text] AS columns FROM columns
  UNION ALL SELECT "table", 'may not be null', attname, ARRAY[attname::text] FROM columns WHERE attnotnull
  UNION ALL SELECT "table", 'may not be left out', attname, '{}' FROM columns WHERE is_required
  UNION ALL SELECT t.table, regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', ''), k.conname,
      ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (k.conkey))
    FROM pg_constraint k JOIN tables t ON t.oid = k.conrelid WHERE k.contype IN ('c', 'f', 'x')
  UNION ALL SELECT t.table, 'unique' || substring(pg_get_indexdef(i.indexrelid) FROM ' USING .*'), i.indexrelid::regclass::text,
      ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = t.oid AND attnum = ANY (i.indkey))
    FROM pg_index i JOIN tables t ON t.oid = i.indrelid WHERE i.indisunique
  UNION ALL SELECT t.table, pg_get_triggerdef(g.oid), g.tgname, '{}'
    FROM pg_trigger g JOIN tables t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal
  UNION ALL SELECT d.typname, pg_get_constraintdef(k.oid), k.conname, '{}'
    FROM pg_constraint k JOIN pg_type d ON d.oid = k.contypid
    WHERE d.typnamespace = 'public'::regnamespace AND k.contype = 'c'`;

async function demandsOf(client: pg.Client): Promise<Demand[]> {
  return (await client.query<Demand & { columns: string[] }>(demandsQuery)).rows;
}

/**
 * Returns what the new schema demands of writes to tables of the old one, and the old one doesn't: release code that
 * knows only the old schema can fail on it. Demands about new columns only are none, because old code leaves these out.
 */
export async function newDemands(before: pg.Client, after: pg.Client): Promise<{ name: string; text: string }[]> {
  const [old, current] = [await demandsOf(before), await demandsOf(after)];
  const keyOf = ({ table, text, name }: Demand) =>
    /^(has the type|may not)/.test(text) ? `${table}.${name} ${text}` : `${table} ${text}`;
  const known = new Set(old.map(keyOf));
  const tables = new Set(old.map(({ table }) => table));
  const columns = new Set(old.flatMap(({ table, columns: of }) => of.map((column) => `${table}.${column}`)));
  const isAboutNewColumns = (demand: Demand) =>
    demand.columns.length > 0 && demand.columns.every((column) => !columns.has(`${demand.table}.${column}`));
  return current
    .filter((demand) => tables.has(demand.table) && !known.has(keyOf(demand)) && !isAboutNewColumns(demand))
    .map(({ table, name, text }) => ({ name: `${table}.${name}`, text: `${table}.${name}: ${text}` }));
}
