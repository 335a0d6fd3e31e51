import { countChanges, deletionOf } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** Step: erases the notifications of a user and those that they caused, in batches. Returns the number of rows. */
export const eraseNotifications = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    deletionOf({ from: "notifications", key: "id", where: "user_id = $1" }, batch),
    deletionOf({ from: "notifications", key: "id", where: "actor_id = $1" }, batch),
    deletionOf({ from: "notification_parts", key: "user_id, event_key", where: "actor_id = $1" }, batch),
    deletionOf({ from: "notification_events", key: "user_id, event_key", where: "user_id = $1" }, batch),
    "DELETE FROM notification_mails WHERE user_id = $1 RETURNING 1",
  );
