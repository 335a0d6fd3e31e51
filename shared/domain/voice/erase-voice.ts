import type { Tx } from "#shared/db/transaction.ts";

/** Step: deletes the records of media tokens that the user has held, all long expired. Returns the number of rows. */
export async function eraseVoice(tx: Tx, userId: string): Promise<number> {
  return (await tx.query("DELETE FROM voice_grants WHERE user_id = $1 RETURNING 1", [userId])).length;
}
