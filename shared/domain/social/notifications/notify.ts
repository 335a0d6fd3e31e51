import type { Tx } from "#shared/db/transaction.ts";
import { blockedBetween } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { requestMails } from "./mail-notifications.ts";
import { type AddressedEvent, withdrawnBy } from "./notification-events.ts";
import { requestPushes } from "./push-notifications.ts";

interface NotificationRow {
  readonly id: string;
  readonly user_id: string;
  /** It requires the user's attention on their phone: it is new, or one of its events requires it. */
  readonly pushed: boolean;
  readonly online: boolean;
}

export interface NotifyOptions {
  /** Notifies live only those who are known to be connected. A connection is recorded a moment after it is made. */
  readonly onlyConnected?: boolean;
}

/**
 * Records events for those of their receivers who may be notified: their account is active, the setting is on, no block
 * stands between the two, they didn't cause it themselves, and they haven't been notified of it before. Events of one
 * group become one notification, which shows the latest of them. Writes in one order, so that concurrent calls wait for
 * each other and never deadlock. OFFSET 0 has receivers looked up one by one: PostgreSQL doesn't know how few they are.
 */
const notifyQuery = `WITH asked AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS asked (
      place int, id uuid, "receiverId" uuid, "actorId" uuid, type text, setting text, "eventKey" text, "groupKey" text,
      data jsonb, coins bigint, "pushedAgain" boolean, withdrawable boolean
    )
  ), allowed AS (
    SELECT DISTINCT ON ("receiverId", "eventKey") asked.*, u.id AS user_id
    FROM asked CROSS JOIN LATERAL (SELECT id, status, settings FROM users WHERE id = "receiverId" OFFSET 0) u
    WHERE u.status IN ('active', 'deletion_pending')
      AND ("actorId" IS NULL OR (u.id <> "actorId" AND NOT ${blockedBetween("u.id", '"actorId"')}))
      AND coalesce((u.settings #>> ARRAY['notifications', setting])::boolean, true)
    ORDER BY "receiverId", "eventKey", place
  ), newly_notified AS (
    INSERT INTO notification_events (user_id, event_key) SELECT user_id, "eventKey" FROM allowed ORDER BY user_id, "eventKey"
    ON CONFLICT DO NOTHING RETURNING user_id, event_key AS "eventKey"
  ), grouped AS (
    SELECT user_id, "groupKey", count(*) AS events, sum(coins)::bigint AS coins, max(place) AS place,
      bool_or("pushedAgain") AS pushed_again
    FROM allowed JOIN newly_notified USING (user_id, "eventKey") GROUP BY user_id, "groupKey"
  ), written AS (
    INSERT INTO notifications (id, user_id, type, actor_id, group_key, data, events, coins, created_at)
    SELECT latest.id, g.user_id, latest.type, latest."actorId", g."groupKey", latest.data, g.events, g.coins,
      now() + g.place * interval '1 microsecond'
    FROM grouped g JOIN asked latest USING (place) ORDER BY g.user_id, g."groupKey"
    ON CONFLICT (user_id, group_key) WHERE read_at IS NULL DO UPDATE SET actor_id = EXCLUDED.actor_id,
      data = EXCLUDED.data, coins = notifications.coins + EXCLUDED.coins,
      events = notifications.events + EXCLUDED.events, created_at = EXCLUDED.created_at
    RETURNING id, user_id, group_key
  ), parts AS (
    INSERT INTO notification_parts (user_id, event_key, notification_id, actor_id, data, place)
    SELECT w.user_id, a."eventKey", w.id, a."actorId", a.data, now() + a.place * interval '1 microsecond'
    FROM allowed a JOIN newly_notified USING (user_id, "eventKey")
      JOIN written w ON w.user_id = a.user_id AND w.group_key = a."groupKey"
    WHERE a.withdrawable ORDER BY w.user_id, a."eventKey"
  )
  SELECT w.id, w.user_id, a.id IS NOT NULL OR g.pushed_again AS pushed,
    EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = w.user_id AND o.lease_until > now()) AS online
  FROM written w JOIN grouped g ON g.user_id = w.user_id AND g."groupKey" = w.group_key LEFT JOIN asked a ON a.id = w.id
  ORDER BY g.place`;

/** Above this number of receivers of one event, only those who are known to be connected are notified live. */
export const alwaysLiveMax = 50;

/**
 * Step: notifies receivers of events, of each once however often this is called. Publishes `notification.new`. Returns
 * the number of notifications that are new or have grown.
 */
export async function notify(
  tx: Tx,
  events: readonly AddressedEvent[],
  { onlyConnected = false }: NotifyOptions = {},
): Promise<number> {
  if (events.length === 0) return 0;
  const asked = events.map((event, place) => ({
    coins: 0,
    pushedAgain: false,
    ...event,
    withdrawable: withdrawnBy[event.type] !== null,
    place,
    id: newId(),
  }));
  const written = await tx.query<NotificationRow & Record<string, unknown>>(notifyQuery, [JSON.stringify(asked)]);

  const idsOf = new Map<string, string[]>();
  for (const { id, user_id, online } of written)
    if (online || !onlyConnected) idsOf.set(user_id, [...(idsOf.get(user_id) ?? []), id]);
  await tx.publishAll(
    "notification.new",
    [...idsOf].map(([user_id, notification_ids]) => ({ user_id, notification_ids })),
  );
  // A notification that only grew has been pushed to the phone before, and is still unread there.
  const pushedIds = written.filter(({ pushed }) => pushed).map(({ id }) => id);
  await requestPushes(tx, pushedIds);
  await requestMails(tx, pushedIds);
  return written.length;
}
