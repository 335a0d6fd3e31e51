import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

const watched = new AsyncLocalStorage<string[]>();
const listeners = new Set<(text: string) => void>();

/** Calls `listener` with each statement that this process sends to a database. */
export function onStatement(listener: (text: string) => void): void {
  if (listeners.size === 0) intercept();
  listeners.add(listener);
}

function intercept(): void {
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [statement] = args;
    const text = typeof statement === "string" ? statement : (statement as { text?: string } | undefined)?.text;
    for (const listen of listeners) listen(text ?? "");
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
