import { query } from "#shared/db/query.ts";

/** Deletes notifications older than 90 days, read or not, in batches; a job calls it. Returns the number of rows. */
export async function pruneNotifications(most = 5000): Promise<number> {
  const [notifications, events] = await Promise.all([
    query(
      `DELETE FROM notifications WHERE id IN (
         SELECT id FROM notifications WHERE created_at < now() - interval '90 days' LIMIT $1
       ) AND created_at < now() - interval '90 days' RETURNING 1`,
      [most],
    ),
    query(
      `DELETE FROM notification_events WHERE ctid IN (
         SELECT ctid FROM notification_events WHERE created_at < now() - interval '90 days' LIMIT $1
       ) RETURNING 1`,
      [most],
    ),
  ]);
  return notifications.length + events.length;
}
