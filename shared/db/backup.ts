import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom, to as copyTo } from "pg-copy-streams";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import {
  type BackupHead,
  checkTables,
  emptyTables,
  headOf,
  sequenceStatements,
  type Table,
  tablesOf,
  withClient,
} from "./backup-tables.ts";
import { locks } from "./locks.ts";

/**
 * A backup in one file is text, as `psql` reads it: a first line that describes it, then the rows of each table after
 * `COPY … FROM stdin;`, then the sequences, then a last line with the number of tables. It contains no tables, because
 * migrations create them.
 */
interface FileHead extends BackupHead {
  readonly format: 1;
}

const headMark = "-- hubbub backup ";
const endMark = "-- end ";
const endOfRows = "\\.";

/**
 * Writes everything that one moment of the database contains, also while the service changes it. Returns the number of
 * tables.
 */
export async function writeBackup(url: string, service: string, out: Writable): Promise<number> {
  return withClient(url, async (client) => {
    await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    // A migration must not change a table meanwhile: reads don't see it in their snapshot.
    await client.query("SELECT pg_advisory_xact_lock_shared($1)", [locks.migrations]);
    const head: FileHead = { format: 1, ...(await headOf(client, service)) };
    const tables = await tablesOf(client);
    // In one go: each pipeline would leave listeners on the stream.
    await pipeline(textOf(client, head, tables), out, { end: false });
    return tables.length;
  });
}

async function* textOf(client: pg.Client, head: FileHead, tables: readonly Table[]): AsyncGenerator<string | Buffer> {
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
export async function readHead(input: Readable): Promise<{ head: FileHead; lines: AsyncIterator<string> }> {
  const lines = linesOf(input);
  const { value: first = "" } = (await lines.next()) as { value?: string };
  const head = first.startsWith(headMark) ? (JSON.parse(first.slice(headMark.length)) as FileHead) : undefined;
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
    const emptied = await emptyTables(client);
    const copied = await copyAll(client, lines);
    await checkTables(client, emptied);
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
