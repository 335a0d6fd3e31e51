import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Notification } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { countUnread, getNotification } from "./notifications.queries.ts";

/**
 * Marks one notification as read; repeating has no effect. Later events of the same kind start a new notification.
 * @throws NOT_FOUND
 */
export async function markNotificationRead(
  { userId }: UserPrincipal,
  id: string,
  language: Language = "en",
): Promise<Notification> {
  await inTransaction((tx) => readOne(tx, userId, id));
  return getNotification(userId, id, language);
}

/** Step: marks one, if it is the user's. */
export const readOne = (tx: Tx, userId: string, id: string): Promise<unknown> =>
  tx.query("UPDATE notifications SET read_at = now() WHERE id = $1 AND user_id = $2 AND read_at IS NULL", [id, userId]);

/** Marks all current notifications as read. Returns how many are unread: those that arrived in the meantime. */
export async function markAllNotificationsRead({ userId }: UserPrincipal): Promise<{ unread_count: number }> {
  await inTransaction((tx) => readAll(tx, userId));
  return { unread_count: await countUnread(userId) };
}

/** Step: locks the rows in one order. Two devices that do this at once would otherwise deadlock. */
export async function readAll(tx: Tx, userId: string): Promise<void> {
  await tx.query(
    `WITH unread AS (
       SELECT id FROM notifications WHERE user_id = $1 AND read_at IS NULL ORDER BY id FOR NO KEY UPDATE
     )
     UPDATE notifications SET read_at = now() WHERE id IN (SELECT id FROM unread)`,
    [userId],
  );
}
