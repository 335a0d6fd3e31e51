import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/**
 * Step: assigns to a user the tickets that were opened from their email address without a login. Called while the
 * address is still known.
 */
export async function claimTickets(tx: Tx, userId: string, email: string): Promise<void> {
  await tx.query("UPDATE support_tickets SET user_id = $1 WHERE user_id IS NULL AND lower(email) = lower($2)", [
    userId,
    email,
  ]);
}

/** Step: empties and closes a user's tickets, and empties their answers. Returns how many rows. */
export const eraseTickets = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE ticket_answers SET message = ''
     WHERE ticket_id IN (SELECT id FROM support_tickets WHERE user_id = $1) AND message <> '' RETURNING 1`,
    `UPDATE support_tickets SET email = '', subject = '', message = '', media = NULL, status = 'closed'
     WHERE user_id = $1 AND (email <> '' OR subject <> '' OR message <> '' OR media IS NOT NULL) RETURNING 1`,
  );
