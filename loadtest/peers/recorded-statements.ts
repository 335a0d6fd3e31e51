import pg from "pg";
import { closeDatabase, openDatabase } from "#shared/db/sequelize.ts";

/** A statement as the service passes it to pg. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * Runs a piece of the service's code once and returns the statements that it sends, in order. A baseline that replays
 * them therefore always does the same work as the service. Can be called once per process.
 */
export async function recordStatements(databaseUrl: string, work: () => Promise<unknown>): Promise<Statement[]> {
  const recorded: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...args: never[]) {
    recorded.push(asStatement(args[0], args[1]));
    return (query as (...all: never[]) => never).apply(this, args);
  } as typeof query;
  try {
    await openDatabase(databaseUrl);
    recorded.length = 0;
    await work();
  } finally {
    pg.Client.prototype.query = query;
    await closeDatabase();
  }
  return recorded;
}

function asStatement(first: unknown, second: unknown): Statement {
  if (typeof first === "string") return { text: first, values: Array.isArray(second) ? second : [] };
  const { name, text, values = [] } = first as { name?: string; text: string; values?: unknown[] };
  return { ...(name && { name }), text, values };
}
