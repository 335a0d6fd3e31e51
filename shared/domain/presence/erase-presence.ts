import type { Tx } from "#shared/db/transaction.ts";

/** Step: nothing says any more that somebody is online. Answers how many rows said so. */
export async function erasePresence(tx: Tx, userId: string): Promise<number> {
  return (await tx.query("DELETE FROM online_users WHERE user_id = $1 RETURNING 1", [userId])).length;
}
