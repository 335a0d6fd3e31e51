import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/** Step: deletes the records of media tokens that the user has held, all long expired. Returns the number of rows. */
export const eraseVoice = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM voice_grants WHERE user_id = $1 RETURNING 1");
