import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** Step: takes away sessions of somebody, with their tokens and devices, some at a time. Answers how many. */
export async function eraseSessions(tx: Tx, userId: string): Promise<number> {
  const gone = await tx.query(
    "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE user_id = $1 LIMIT $2) RETURNING 1",
    [userId, batch],
  );
  return gone.length;
}
