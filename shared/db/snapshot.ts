import { Transaction } from "sequelize";
import { assert } from "#shared/kernel/assert.ts";
import { liftTimeouts, query } from "./query.ts";
import { currentTransaction, sequelize } from "./sequelize.ts";

/**
 * Runs `work` in a read-only REPEATABLE READ transaction: all its queries see the database at one moment, whatever is
 * committed meanwhile. With `isLong`, for commands that read whole tables, its statements have no timeout.
 */
export async function inSnapshot<T>(work: () => Promise<T>, { isLong = false } = {}): Promise<T> {
  assert(!currentTransaction(), "transactions do not nest");
  const isolationLevel = Transaction.ISOLATION_LEVELS.REPEATABLE_READ;
  return sequelize.transaction({ isolationLevel }, async () => {
    await query("SET TRANSACTION READ ONLY");
    if (isLong) await liftTimeouts();
    return work();
  });
}
