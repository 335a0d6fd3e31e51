import { deleteBatch } from "#shared/db/batches.ts";

/** Deletes notifications older than 90 days, read or not, in batches; a job calls it. Returns the number of rows. */
export async function pruneNotifications(most = 5000): Promise<number> {
  const where = "created_at < now() - interval '90 days'";
  const notifications = await deleteBatch({ from: "notifications", key: "id", where }, most);
  return notifications + (await deleteBatch({ from: "notification_events", key: "ctid", where }, most));
}
