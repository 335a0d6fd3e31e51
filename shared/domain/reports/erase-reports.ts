import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/**
 * Step: empties what somebody has written in reports, and what of his was kept as evidence in those of others, some at a
 * time. That he reported, or was, stays. Answers how many.
 */
export async function eraseReports(tx: Tx, userId: string): Promise<number> {
  const filed = await tx.query(
    `UPDATE reports SET reason = '', details = '' WHERE id IN (
       SELECT id FROM reports WHERE reporter_id = $1 AND (reason <> '' OR details <> '') LIMIT $2
     ) RETURNING 1`,
    [userId, batch],
  );
  const about = await tx.query(
    `UPDATE reports SET evidence = '{}' WHERE id IN (
       SELECT id FROM reports WHERE target_user_id = $1 AND evidence <> '{}' LIMIT $2
     ) RETURNING 1`,
    [userId, batch],
  );
  return filed.length + about.length;
}
