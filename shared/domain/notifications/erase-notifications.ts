import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** Step: erases the notifications of a user and those that they caused, in batches. Returns the number of rows. */
export async function eraseNotifications(tx: Tx, userId: string): Promise<number> {
  const own = await tx.query(
    "DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE user_id = $1 LIMIT $2) RETURNING 1",
    [userId, batch],
  );
  const ofHim = await tx.query(
    "DELETE FROM notifications WHERE id IN (SELECT id FROM notifications WHERE actor_id = $1 LIMIT $2) RETURNING 1",
    [userId, batch],
  );
  const events = await tx.query(
    `DELETE FROM notification_events WHERE (user_id, event_key) IN (
       SELECT user_id, event_key FROM notification_events WHERE user_id = $1 LIMIT $2
     ) RETURNING 1`,
    [userId, batch],
  );
  return own.length + ofHim.length + events.length;
}
