import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { isoNow } from "#shared/kernel/clock.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { jobsSchema } from "./install-jobs.ts";
import { locks } from "./locks.ts";

/**
 * A backup is text, as `psql` reads it: a first line that describes it, then the rows of each table after
 * `COPY … FROM stdin;`, then the sequences, then a last line with the number of tables. It contains no tables, because
 * migrations create them.
 */
export interface BackupHead {
  readonly format: 1;
  readonly service: string;
  readonly createdAt: string;
  /** The names of the migrations that the rows need, in order. */
  readonly migrations: readonly string[];
  /** The divided tables, and before which ID the first partition of each ends. */
  readonly divided?: Readonly<Record<string, string>>;
}

const headMark = "-- hubbub backup ";
const endMark = "-- end ";
const schemas = `'^(public|${jobsSchema}|ext_.*)$'`;
const endOfRows = "\\.";

interface Table {
  /** Quoted, with its schema. */
  readonly name: string;
  /** Quoted and separated by commas, without generated columns. */
  readonly columns: string;
}

/**
 * Writes everything that one moment of the database contains, also while the service changes it. Returns the number of
 * tables.
 */
export async function writeBackup(url: string, service: string, out: Writable): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // A migration must not change a table meanwhile: reads don't see it in their snapshot.
    await client.query("SELECT pg_advisory_xact_lock_shared($1)", [locks.migrations]);
    const { rows } = await client.query<{ name: string }>("SELECT name FROM migrations ORDER BY name");
    const head: BackupHead = {
      format: 1,
      service,
      createdAt: isoNow(),
      migrations: rows.map(({ name }) => name),
      divided: await firstBoundaries(client),
    };
    const tables = await tablesOf(client);
    // In one go: each pipeline would leave listeners on the stream.
    await pipeline(textOf(client, head, tables), out, { end: false });
    return tables.length;
  });
}

async function firstBoundaries(client: pg.Client): Promise<Record<string, string>> {
  const found = await client.query("SELECT to_regclass('table_partitions') IS NOT NULL AS stands");
  if (!found.rows[0].stands) return {};
  const { rows } = await client.query<{ table: string; until: string }>(
    `SELECT "table", first_id_at(min("until")) AS until FROM table_partitions GROUP BY 1`,
  );
  return Object.fromEntries(rows.map(({ table, until }) => [table, until]));
}

async function* textOf(client: pg.Client, head: BackupHead, tables: readonly Table[]): AsyncGenerator<string | Buffer> {
  yield `${headMark}${JSON.stringify(head)}\n`;
  for (const { name, columns } of tables) {
    yield `COPY ${name} (${columns}) FROM stdin;\n`;
    yield* client.query(copyTo(`COPY (SELECT ${columns} FROM ${name}) TO STDOUT`));
    yield `${endOfRows}\n`;
  }
  for (const statement of await sequenceStatements(client)) yield `${statement}\n`;
  yield `${endMark}${tables.length}\n`;
}

/** Reads the first line of a backup. @throws OperatorError if it isn't one */
export async function readHead(input: Readable): Promise<{ head: BackupHead; lines: AsyncIterator<string> }> {
  const lines = linesOf(input);
  const { value: first = "" } = (await lines.next()) as { value?: string };
  const head = first.startsWith(headMark) ? (JSON.parse(first.slice(headMark.length)) as BackupHead) : undefined;
  if (head?.format !== 1) throw new OperatorError("This isn't a backup that this release can read.");
  return { head, lines };
}

/**
 * Fills a database that has the tables of the backup and no users. All or nothing: foreign keys are created again at
 * the end, which checks all rows against each other. Requires the owner of the tables, not a superuser. Returns the
 * number of tables.
 * @throws OperatorError if the database isn't empty, or the backup is incomplete
 */
export async function restoreBackup(url: string, lines: AsyncIterator<string>): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [locks.migrations]);
    const { rows } = await client.query("SELECT 1 FROM users LIMIT 1");
    if (rows.length > 0)
      throw new OperatorError("The database isn't empty. Restore into a new DATA_DIR or a new database.");

    const tables = await tablesOf(client);
    const keys = await foreignKeysOf(client);
    for (const { table, name } of keys) await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    const triggering = [...tables.map(({ name }) => name), ...(await partitionsOf(client))];
    for (const name of triggering) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`);
    await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(", ")}`);

    const copied = await copyAll(client, lines);
    for (const name of triggering) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`);
    for (const { table, name, definition } of keys)
      await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`);
    await client.query("COMMIT");
    await client.query("ANALYZE");
    return copied;
  });
}

/** Splits text at line feeds only: rows may contain other line separators of Unicode. */
async function* linesOf(input: Readable): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const chunk of input.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

/** Executes the statements of a backup. Returns the number of tables. @throws OperatorError if its end is missing */
async function copyAll(client: pg.Client, lines: AsyncIterator<string>): Promise<number> {
  let copied = 0;
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    const statement = line.value;
    if (statement === `${endMark}${copied}`) return copied;
    if (!statement.startsWith("COPY ")) {
      await client.query(statement);
      continue;
    }
    await pipeline(Readable.from(rowsOf(lines)), client.query(copyFrom(statement.replace(/;$/, ""))));
    copied += 1;
  }
  throw new OperatorError("The backup is incomplete: its end is missing. Nothing was restored.");
}

/** The rows up to their end, in chunks: one write for each row would be slow. */
async function* rowsOf(lines: AsyncIterator<string>): AsyncGenerator<string> {
  let chunk = "";
  for (let line = await lines.next(); !line.done && line.value !== endOfRows; line = await lines.next()) {
    chunk += `${line.value}\n`;
    if (chunk.length < 65_536) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk) yield chunk;
}

/** Returns all tables with rows of their own or of their partitions, except the list of migrations. */
async function tablesOf(client: pg.Client): Promise<Table[]> {
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

async function sequenceStatements(client: pg.Client): Promise<string[]> {
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
async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
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
