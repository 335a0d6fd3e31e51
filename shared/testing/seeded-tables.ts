import { expect } from "chai";
import { liftTimeouts, query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";

/**
 * For a `describe` with enough rows that query plans matter. Returns a function that runs `work`, which seeds tables
 * and inspects plans, in a transaction without constraints or timeouts. The transaction is rolled back, because the
 * files of a worker share their database.
 */
export function useSeededTables(tables: readonly string[]): (work: (tx: Tx) => Promise<void>) => Promise<void> {
  const undone = new Error("what was seeded goes with the transaction");

  after("leaves the tables as they were", async () => {
    for (const table of tables) await query(`VACUUM (ANALYZE) ${table}`);
  });

  return async (work) => {
    const seeded = inTransaction(async (tx) => {
      await tx.query("SET LOCAL session_replication_role = replica");
      await liftTimeouts();
      await work(tx);
      throw undone;
    });
    expect(await seeded.catch((error: unknown) => error)).to.equal(undone);
  };
}
