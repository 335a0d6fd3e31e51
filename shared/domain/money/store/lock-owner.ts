import type { Tx } from "#shared/db/transaction.ts";

/** Step: locks what a user owns until the end of the transaction. */
export async function lockOwner(tx: Tx, userId: string): Promise<void> {
  await tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [userId]);
}
