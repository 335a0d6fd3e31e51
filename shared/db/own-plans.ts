import { query } from "./query.ts";
import { queryAnywhere } from "./replica.ts";
import { beginTransaction, currentTransaction } from "./sequelize.ts";

const onPrimary: typeof query = (text, values) => {
  const run = async () => {
    await query("SET LOCAL plan_cache_mode = force_custom_plan");
    return query<never>(text, values);
  };
  return currentTransaction() ? run() : beginTransaction(run);
};

/**
 * Runs a read that is planned for the values that it is called with, by the primary or a replica: for lists, whose
 * filters find one row or a million. All other statements of the primary are planned once (see `serverOptions`).
 */
export const queryPlanned: typeof query = (text, values) => queryAnywhere(text, values, onPrimary);
