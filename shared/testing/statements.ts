import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

const watched = new AsyncLocalStorage<string[]>();
let watching = false;

/** Intercepts all statements of this process, and attributes them to the work that sent them. */
function watch(): void {
  if (watching) return;
  watching = true;
  const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
  const { query } = prototype;
  prototype.query = function (this: unknown, ...args: unknown[]) {
    const [statement] = args;
    const text = typeof statement === "string" ? statement : (statement as { text?: string } | undefined)?.text;
    watched.getStore()?.push(text ?? "");
    return query.apply(this, args);
  };
}

/**
 * Returns the statements that `work` sends to the database, in order. Excludes those of concurrent work in this process, and
 * those that the pool sends to new connections.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  watch();
  const statements: string[] = [];
  await watched.run(statements, work);
  return statements.filter((text) => text !== "" && !text.startsWith("SET TIME ZONE "));
}
