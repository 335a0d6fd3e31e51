import { AsyncLocalStorage } from "node:async_hooks";
import pg from "pg";

const watched = new AsyncLocalStorage<string[]>();
let watching = false;

/** Sees every statement that a client of this process sends, over all layers, and whose work it belongs to. */
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
 * The statements that some work sends to the database, in order; what runs beside it in the process is left out, and so
 * is what the pool says to a connection that it opens, since no work knows whether there is one.
 */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  watch();
  const statements: string[] = [];
  await watched.run(statements, work);
  return statements.filter((text) => text !== "" && !text.startsWith("SET TIME ZONE "));
}
