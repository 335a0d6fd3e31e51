import type { Tx } from "#shared/db/transaction.ts";

/** Step: forgets the media tokens that somebody has held; all have expired long before. Answers how many. */
export async function eraseVoice(tx: Tx, userId: string): Promise<number> {
  return (await tx.query("DELETE FROM voice_grants WHERE user_id = $1 RETURNING 1", [userId])).length;
}
