import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/**
 * Step: empties a batch of what a user wrote in reports, and of their content kept as evidence in reports of others,
 * with what administrators noted about it. The reports themselves stay. Returns how many were emptied.
 */
export const eraseReports = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE reports SET reason = '', details = '' WHERE id IN (
       SELECT id FROM reports WHERE reporter_id = $1 AND (reason <> '' OR details <> '') LIMIT ${batch}
     ) RETURNING 1`,
    `UPDATE reports SET evidence = '{}', note = '' WHERE id IN (
       SELECT id FROM reports WHERE target_user_id = $1 AND (evidence <> '{}' OR note <> '') LIMIT ${batch}
     ) RETURNING 1`,
  );
