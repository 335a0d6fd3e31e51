import type { Tx } from "#shared/db/transaction.ts";

/** Step: deletes the user's presence. Returns the number of rows. */
export async function erasePresence(tx: Tx, userId: string): Promise<number> {
  return (await tx.query("DELETE FROM online_users WHERE user_id = $1 RETURNING 1", [userId])).length;
}
