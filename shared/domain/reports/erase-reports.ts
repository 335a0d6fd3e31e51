import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/**
 * Step: empties a batch of what a user wrote in reports, and of their content kept as evidence in reports of others. The
 * reports themselves stay. Returns how many were emptied.
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
