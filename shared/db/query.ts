import type { Client, CustomTypesConfig } from "pg";
import pg from "pg";
import type { Transaction } from "sequelize";
import { assert } from "#shared/kernel/assert.ts";
import { clientOf } from "./pg-internals.ts";
import { canPrepare } from "./pools.ts";
import { awaitAtCommit, currentTransaction, gather, type Sent, withClientOnce } from "./sequelize.ts";

const utcTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/;

/** Converts a time from PostgreSQL's form, `2026-01-31 12:00:00.123456+00`, to ISO 8601: to the millisecond, UTC. */
function toIsoTime(value: string): string {
  const utc = utcTime.exec(value);
  // Another time zone, or a year BC.
  if (!utc) return new Date(value.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00")).toISOString();
  const [, date, time, fraction = ""] = utc;
  return `${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`;
}

/**
 * Parses bigint as a number: all of ours (coins, counters) are bounded well below 2^53, and a larger value fails here
 * instead of losing its last digit. Parses times as ISO 8601 UTC and dates as `YYYY-MM-DD`, as the views show them.
 */
const parsers: Record<number, (value: string) => unknown> = {
  [pg.types.builtins.INT8]: (value) => {
    const parsed = Number(value);
    assert(Number.isSafeInteger(parsed), `bigint ${value} is exact`);
    return parsed;
  },
  [pg.types.builtins.TIMESTAMPTZ]: toIsoTime,
  [pg.types.builtins.DATE]: (value) => value,
};

const types: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers[oid]) ||
    pg.types.getTypeParser(oid, format as "text")) as CustomTypesConfig["getTypeParser"],
};

interface Statement {
  /** So that PostgreSQL parses and plans it once per connection. */
  readonly name: string;
  /** What changes rows or locks them. */
  readonly writes: boolean;
}

const statements = new Map<string, Statement>();
const writing =
  /\b(INSERT INTO|DELETE FROM|UPDATE\s+[\w.]+\s+(AS\s+)?(\w+\s+)?SET|FOR (NO KEY )?UPDATE|FOR (KEY )?SHARE)\b/;

function statementOf(text: string): Statement {
  let statement = statements.get(text);
  if (!statement) {
    statement = { name: `q${statements.size}`, writes: writing.test(text) };
    statements.set(text, statement);
  }
  return statement;
}

/** What an array's text contains as it is. Text such as `null` has another meaning without quotes. */
const plain = /^(?!null$)[\w:.-]+$/i;
const toElement = (value: unknown): string => {
  if (value === null || value === undefined) return "NULL";
  if (typeof value !== "string") return String(value);
  return plain.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;
};

/**
 * Writes arrays as PostgreSQL reads them: the driver takes longer to quote each element than the database for a
 * statement.
 */
function toParameter(value: unknown): unknown {
  if (!Array.isArray(value) || value.some((one) => typeof one === "object" && one !== null)) return value;
  return `{${value.map(toElement).join(",")}}`;
}

/** Transactions whose statements may take as long as they need. */
const unhurried = new WeakSet<Transaction>();
/** The longest timer, milliseconds. */
const unlimited = 2 ** 31 - 1;

/**
 * Lets the later statements of the current transaction take as long as they need: for commands that read whole tables.
 */
export async function liftTimeouts(): Promise<void> {
  unhurried.add(currentTransaction()!);
  await query("SET LOCAL statement_timeout = 0");
}

/** Returns how a statement is sent on a connection. */
const sending = (client: Client, text: string, values: readonly unknown[]) => ({
  ...(canPrepare(client) && { name: statementOf(text).name }),
  text,
  values: values.map(toParameter),
  types,
});

/** Runs a statement on a connection; see `query`. */
export async function queryOn<Row extends object = Record<string, unknown>>(
  client: Client,
  text: string,
  values: readonly unknown[] = [],
  more: object = {},
): Promise<Row[]> {
  gather(client);
  const { rows } = await client.query<Row>({ ...sending(client, text, values), ...more });
  return rows;
}

/**
 * Runs one statement with bind parameters (`$1`, `$2`, …) and returns its rows as plain objects: in the current
 * transaction if there is one, else on a connection of the pool. `text` must be a constant, because statements are
 * prepared by their text: never build SQL from input. Commands write by `Tx.query` or `alone`.
 */
export async function execute<Row extends object = Record<string, unknown>>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const transaction = currentTransaction();
  if (!transaction) return withClientOnce((client) => queryOn<Row>(client, text, values));
  const more = unhurried.has(transaction) ? { query_timeout: unlimited } : {};
  return queryOn<Row>(clientOf(transaction), text, values, more);
}

/** Like `execute`, but refuses to write or lock in a transaction behind the back of its `Tx`. */
export async function query<Row extends object = Record<string, unknown>>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  assert(!statementOf(text).writes || !currentTransaction(), "in a transaction, its Tx writes and locks");
  return execute<Row>(text, values);
}

/** Sends a statement in the current transaction; called by `Tx.send` only. */
export function send(text: string, values: readonly unknown[]): void {
  const client = clientOf(currentTransaction()!);
  gather(client);
  const { promise: answered, resolve, reject } = Promise.withResolvers<void>();
  const sent: Sent = { answered };
  void client.query(sending(client, text, values), (error?: Error | null) => {
    if (!error) return resolve();
    sent.error = error;
    reject(error);
  });
  awaitAtCommit(sent);
}

/** Runs a statement of at most one row, and returns the row or undefined. */
export async function queryOne<Row extends object = Record<string, unknown>>(
  text: string,
  values: readonly unknown[] = [],
): Promise<Row | undefined> {
  return (await query<Row>(text, values))[0];
}

/** Runs a statement that selects one column, and returns its values. */
export async function queryColumn(text: string, values: readonly unknown[] = []): Promise<string[]> {
  return columnOf(await query<Record<string, string>>(text, values));
}

/** Returns the values of rows of one column. */
export const columnOf = (rows: readonly Record<string, string>[]): string[] =>
  rows.flatMap((row) => Object.values(row));

/** Escapes `%`, `_` and `\` in user input for a LIKE pattern. */
export const escapeLike = (typed: string): string => typed.replace(/[\\%_]/g, "\\$&");
