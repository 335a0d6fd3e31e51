import { assert } from "#shared/kernel/assert.ts";
import { liftTimeouts, query } from "./query.ts";
import { beginTransaction, currentTransaction } from "./sequelize.ts";

/**
 * Runs `work` in a read-only REPEATABLE READ transaction: all its queries see the database at one moment, whatever is
 * committed meanwhile. With `isLong`, for commands that read whole tables, its statements have no timeout.
 */
export async function inSnapshot<T>(work: () => Promise<T>, { isLong = false } = {}): Promise<T> {
  assert(!currentTransaction(), "transactions do not nest");
  return beginTransaction(async () => {
    await query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    if (isLong) await liftTimeouts();
    return work();
  });
}
