import { query } from "./query.ts";
import { beginTransaction, currentTransaction } from "./sequelize.ts";

/**
 * Runs reads that are planned for the values that they are called with: for lists, whose filters find one row or a
 * million. All other statements are planned once (see `serverOptions`).
 */
export async function withOwnPlans<T>(work: () => Promise<T>): Promise<T> {
  const run = async () => {
    await query("SET LOCAL plan_cache_mode = force_custom_plan");
    return work();
  };
  return currentTransaction() ? run() : beginTransaction(run);
}
