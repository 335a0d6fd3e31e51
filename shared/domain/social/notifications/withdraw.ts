import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { postGroups, type Withdrawal, withdrawalFor } from "./notification-events.ts";

/** Withdraws what users were notified of and others took back, once for each event however often it is delivered. */
const withdrawing =
  <T extends keyof typeof withdrawalFor>(withdrawalOf: (payload: DomainEvents[T]) => Withdrawal): Recorder<T> =>
  async (tx, payloads) => {
    for (const payload of payloads) await withdraw(tx, withdrawalOf(payload));
  };

export const withdrawFollow = withdrawing<"user.unfollowed">(withdrawalFor["user.unfollowed"]);
export const withdrawFriendRequest = withdrawing<"friend.request_cancelled">(withdrawalFor["friend.request_cancelled"]);
export const withdrawInvitation = withdrawing<"agency.invitation_withdrawn">(
  withdrawalFor["agency.invitation_withdrawn"],
);
export const withdrawLike = withdrawing<"post.unliked">(withdrawalFor["post.unliked"]);
export const withdrawComment = withdrawing<"post.comment_deleted">(withdrawalFor["post.comment_deleted"]);

/** Withdraws what the author of a post that is no longer shown was notified of about it. */
export const withdrawPost: Recorder<"post.deleted"> = async (tx, payloads) => {
  for (const { author_id: user_id, post_id } of payloads) {
    const withdrawn = await tx.query<{ id: string }>(
      "DELETE FROM notifications WHERE user_id = $1 AND group_key = ANY ($2) RETURNING id",
      [user_id, Object.values(postGroups).map((keyOf) => keyOf(post_id))],
    );
    for (const { id } of withdrawn) await tx.publish("notification.withdrawn", { user_id, notification_id: id });
  }
};

/**
 * Step: takes an event out of its notification, read or not. The notification then shows the latest event left, and is
 * deleted with its last one. The event stays known, so that an act that is done again and again notifies once, and one
 * that is recorded after its withdrawal not at all. Publishes `notification.new` or `notification.withdrawn`.
 */
async function withdraw(tx: Tx, { receiverId, eventKey }: Withdrawal): Promise<void> {
  // Waits for a concurrent `notify` of the event.
  await tx.query(
    `INSERT INTO notification_events (user_id, event_key) SELECT id, $2 FROM users WHERE id = $1 ON CONFLICT DO NOTHING`,
    [receiverId, eventKey],
  );
  // Locks the notification, so that its events are withdrawn one after another.
  await tx.query(
    `SELECT 1 FROM notifications n JOIN notification_parts p ON p.notification_id = n.id
     WHERE p.user_id = $1 AND p.event_key = $2 FOR UPDATE OF n`,
    [receiverId, eventKey],
  );
  const [changed] = await tx.query<{ id: string; removed: boolean }>(
    `WITH gone AS (
       DELETE FROM notification_parts WHERE user_id = $1 AND event_key = $2 RETURNING notification_id
     ), latest AS (
       SELECT p.actor_id, p.data FROM notification_parts p JOIN gone USING (notification_id)
       WHERE (p.user_id, p.event_key) <> ($1, $2) ORDER BY p.place DESC LIMIT 1
     ), reduced AS (
       UPDATE notifications n SET events = n.events - 1, actor_id = coalesce(latest.actor_id, n.actor_id),
         data = coalesce(latest.data, n.data)
       FROM gone LEFT JOIN latest ON true WHERE n.id = gone.notification_id AND n.events > 1 RETURNING n.id
     ), removed AS (
       DELETE FROM notifications n USING gone WHERE n.id = gone.notification_id AND n.events = 1 RETURNING n.id
     )
     SELECT id, false AS removed FROM reduced UNION ALL SELECT id, true FROM removed`,
    [receiverId, eventKey],
  );
  if (!changed) return;

  if (changed.removed) await tx.publish("notification.withdrawn", { user_id: receiverId, notification_id: changed.id });
  else await tx.publish("notification.new", { user_id: receiverId, notification_ids: [changed.id] });
}
