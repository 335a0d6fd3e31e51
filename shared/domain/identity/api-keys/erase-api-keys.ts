import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/** Step: deletes a user's API keys, and their tokens with them. */
export const eraseApiKeys = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM api_keys WHERE user_id = $1 RETURNING 1");
