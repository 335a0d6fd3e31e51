import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/** Step: deletes the user's presence. Returns the number of rows. */
export const erasePresence = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM online_users WHERE user_id = $1 RETURNING 1");
