import { deleteBatch } from "#shared/db/batches.ts";

const where = "created_at < now() - interval '90 days'";
/** What is too old to be kept. */
export const oldNotifications = { from: "notifications", key: "id", where };
export const oldEvents = { from: "notification_events", key: "ctid", where };

/** Deletes notifications older than 90 days, read or not, in batches; a job calls it. Returns the number of rows. */
export async function pruneNotifications(most = 5000): Promise<number> {
  return (await deleteBatch(oldNotifications, most)) + (await deleteBatch(oldEvents, most));
}
