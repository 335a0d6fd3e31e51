import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";

/**
 * For a `describe` with enough rows that query plans matter. Returns a function that runs `work`, which seeds tables and
 * inspects plans, in a transaction without constraints or timeouts. The transaction is rolled back, because the files of a
 * worker share their database.
 */
export function useSeededTables(tables: readonly string[]): (work: (tx: Tx) => Promise<void>) => Promise<void> {
  const undone = new Error("what was seeded goes with the transaction");

  after("leaves the tables as they were", async () => {
    await query(`VACUUM (ANALYZE) ${tables.join(", ")}`);
  });

  return async (work) => {
    const seeded = inTransaction(async (tx) => {
      await tx.query("SET LOCAL session_replication_role = replica");
      await tx.query("SET LOCAL statement_timeout = 0");
      await work(tx);
      throw undone;
    });
    expect(await seeded.catch((error: unknown) => error)).to.equal(undone);
  };
}
