import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** Step: deletes sessions of a user with their tokens and devices, a batch at a time. Returns how many. */
export async function eraseSessions(tx: Tx, userId: string): Promise<number> {
  const gone = await tx.query(
    "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user_id = $1 LIMIT $2) RETURNING 1",
    [userId, batch],
  );
  return gone.length;
}
