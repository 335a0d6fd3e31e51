import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Notification } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { countUnread, getNotification } from "./notifications.queries.ts";

/**
 * Marks one notification read; again changes nothing. What comes after that begins a new one.
 * @throws NOT_FOUND
 */
export async function markNotificationRead({ userId }: UserPrincipal, id: string): Promise<Notification> {
  await query("UPDATE notifications SET read_at = now() WHERE id = $1 AND user_id = $2 AND read_at IS NULL", [
    id,
    userId,
  ]);
  return getNotification(userId, id);
}

/** Marks read all that there are now. Answers how many are not read: those that came meanwhile. */
export async function markAllNotificationsRead({ userId }: UserPrincipal): Promise<{ unread_count: number }> {
  await inTransaction((tx) => readAll(tx, userId));
  return { unread_count: await countUnread(userId) };
}

/** Step. Locks them in one order: two devices that do this at once would otherwise each wait for the other. */
export async function readAll(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `WITH unread AS (
       SELECT id FROM notifications WHERE user_id = $1 AND read_at IS NULL ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE notifications SET read_at = now() WHERE id IN (SELECT id FROM unread)`,
    [userId],
  );
}
