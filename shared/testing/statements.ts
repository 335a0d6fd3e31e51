import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";
import { streamOf } from "#shared/db/pg-internals.ts";

const watched = new AsyncLocalStorage<string[]>();
const listeners = new Set<(text: string, client: pg.Client) => void>();

/** Calls `listener` with each statement that this process sends to a database, before it is sent. */
export function onStatement(listener: (text: string, client: pg.Client) => void): void {
  if (listeners.size === 0) intercept();
  listeners.add(listener);
}

function intercept(): void {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: pg.Client, ...args: unknown[]) {
    const [statement] = args;
    const text = typeof statement === "string" ? statement : (statement as { text?: string } | undefined)?.text;
    for (const listen of listeners) listen(text ?? "", this);
    return query.apply(this, args);
  };
}

const attribute = (text: string): void => void watched.getStore()?.push(text);

/**
 * Returns the statements that `work` sends to the database, in order. Excludes those of concurrent work in this
 * process, and those that the pool sends to new connections.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  onStatement(attribute);
  const statements: string[] = [];
  await watched.run(statements, work);
  return statements.filter((text) => text !== "" && !text.startsWith("SET TIME ZONE "));
}

/** When a connection is cut: before a statement is sent, or while its result is awaited. */
export type CutMoment = "before" | "after";

const cuts = new AsyncLocalStorage<{ left: number; readonly moment: CutMoment; isDone: boolean }>();

function cut(_text: string, client: pg.Client): void {
  const due = cuts.getStore();
  if (!due || due.isDone) return;
  due.left -= 1;
  if (due.left > 0) return;
  due.isDone = true;
  const end = () => streamOf(client).destroy();
  if (due.moment === "before") end();
  else setImmediate(end);
}

/**
 * Runs `work`, and cuts its connection to the database at its statement with this number, from 1 on. Returns whether
 * it had so many, and its error, if it failed.
 */
export async function cutAt(
  number: number,
  moment: CutMoment,
  work: () => Promise<unknown>,
): Promise<{ readonly wasCut: boolean; readonly error?: unknown }> {
  onStatement(cut);
  const due = { left: number, moment, isDone: false };
  const failed = await cuts.run(due, work).then(
    () => ({}),
    (error: unknown) => ({ error }),
  );
  const wasCut = due.isDone;
  // What follows from `work` may go on in its context.
  due.isDone = true;
  return { wasCut, ...failed };
}
