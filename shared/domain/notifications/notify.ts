import type { Tx } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import type { NotificationEvent } from "./notification-events.ts";
import { requestPushes } from "./push-notifications.ts";

interface Written {
  readonly id: string;
  /** False: the event was added to an existing notification. */
  readonly is_new: boolean;
  readonly online: boolean;
}

/** Above this number of receivers, only those who are known to be connected are notified live. */
const alwaysLiveMax = 50;

/**
 * Records an event for those of these receivers who may be notified: their account is active, the setting is on, no
 * block stands between the two, they didn't cause it themselves, and they haven't been notified of it before. `$1` and
 * `$2` are the receivers and the ids for new rows. Writes in one order, so that concurrent calls wait for each other
 * and never deadlock.
 */
const notifyQuery = `WITH receivers AS (
    SELECT u.id AS user_id, asked.notification_id
    FROM unnest($1::uuid[], $2::uuid[]) AS asked (user_id, notification_id) JOIN users u ON u.id = asked.user_id
    WHERE u.id <> $4 AND u.status IN ('active', 'deletion_pending') AND NOT is_blocked_between(u.id, $4)
      AND coalesce((u.settings #>> ARRAY['notifications', $9::text])::boolean, true)
  ), newly_notified AS (
    INSERT INTO notification_events (user_id, event_key) SELECT user_id, $6::text FROM receivers ORDER BY user_id
    ON CONFLICT DO NOTHING RETURNING user_id
  ), written AS (
    INSERT INTO notifications (id, user_id, type, actor_id, group_key, data, coins)
    SELECT notification_id, user_id, $3::text, $4, $5::text, $7::jsonb, $8::bigint FROM receivers JOIN newly_notified USING (user_id) ORDER BY user_id
    ON CONFLICT (user_id, group_key) WHERE read_at IS NULL DO UPDATE SET actor_id = EXCLUDED.actor_id,
      data = EXCLUDED.data, coins = notifications.coins + EXCLUDED.coins, events = notifications.events + 1,
      created_at = EXCLUDED.created_at
    RETURNING id, user_id, events = 1 AS is_new
  )
  SELECT id, is_new,
    EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = written.user_id AND o.lease_until > now()) AS online
  FROM written`;

/** Step: notifies these receivers of an event, each once however often this is called. Publishes `notification.new`. */
export async function notify(tx: Tx, event: NotificationEvent, receiverIds: readonly string[]): Promise<void> {
  const { type, actorId, groupKey, eventKey, data, coins = 0, setting, pushedAgain = false } = event;
  const written = await tx.query<Written>(notifyQuery, [
    receiverIds,
    receiverIds.map(() => newId()),
    type,
    actorId,
    groupKey,
    eventKey,
    JSON.stringify(data),
    coins,
    setting,
  ]);
  // A connection is recorded a moment after it is made. Where it costs little, no one is skipped for that.
  const notifiedLive = receiverIds.length > alwaysLiveMax ? written.filter(({ online }) => online) : written;
  if (notifiedLive.length > 0)
    await tx.publish("notification.new", { notification_ids: notifiedLive.map(({ id }) => id) });
  // A notification that only grew has been pushed to the phone before, and is still unread there.
  await requestPushes(
    tx,
    written.filter(({ is_new }) => is_new || pushedAgain).map(({ id }) => id),
  );
}
