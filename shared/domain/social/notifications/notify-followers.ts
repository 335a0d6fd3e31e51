import { defineJob } from "#shared/db/jobs.ts";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import type { NotificationEvent } from "./notification-events.ts";
import { alwaysLiveMax, notify } from "./notify.ts";

/**
 * Notifies the followers of a room's host that it is open. Safe to run twice: each follower is notified of a room once.
 */
export const followersJob = defineJob<{ room_id: string }>("notifications.followers", {
  retries: 5,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
});

const batchSize = 500;

/** Step: requests these notifications, once for each room. */
export function requestFollowerNotifications(tx: Tx, roomId: string): Promise<void> {
  return tx.enqueue(followersJob, { room_id: roomId }, { id: roomId });
}

/**
 * Pages through all followers, with a transaction for each batch. Ends early if the room is no longer visible to
 * everyone.
 */
export async function notifyAllFollowers({ room_id }: { room_id: string }): Promise<void> {
  for (let after = beforeAll; ; ) {
    const opened = await openedBy(room_id);
    const followers = opened ? await nextFollowers(opened.actorId, after) : [];
    const ids = followers.map(({ id }) => id);
    const events = opened ? ids.map((receiverId) => ({ ...opened, receiverId })) : [];
    // If there are few followers, all are notified, even those whose connection is not recorded yet.
    await inTransaction((tx) => notify(tx, events, { onlyConnected: events.length > alwaysLiveMax }));
    if (followers.length < batchSize) return;
    after = followers.at(-1)!;
  }
}

/** Returns the event while everyone can see the room. */
async function openedBy(roomId: string): Promise<(NotificationEvent & { readonly actorId: string }) | undefined> {
  const room = await queryOne<{ host_id: string }>(
    `SELECT r.host_id FROM rooms r JOIN users u ON u.id = r.host_id
     WHERE r.id = $1 AND r.status = 'open' AND NOT r.is_private AND u.status = 'active'`,
    [roomId],
  );
  if (!room) return undefined;
  return {
    type: "room_opened",
    setting: "rooms",
    actorId: room.host_id,
    eventKey: `room_opened:${roomId}`,
    groupKey: `room_opened:${room.host_id}`,
    data: { room_id: roomId },
  };
}

interface Follower {
  readonly id: string;
  /** With microseconds. */
  readonly since: string;
}

const beforeAll: Follower = { id: "00000000-0000-0000-0000-000000000000", since: "infinity" };

/** Newest first. Leaves out users who follow after the job has started. */
function nextFollowers(hostId: string, after: Follower): Promise<Follower[]> {
  return query<Follower>(
    `SELECT follower_id AS id, created_at::text AS since FROM user_follows
     WHERE followed_id = $1 AND created_at <= $2::timestamptz AND (created_at < $2::timestamptz OR follower_id > $3)
     ORDER BY created_at DESC, follower_id LIMIT $4`,
    [hostId, after.since, after.id, batchSize],
  );
}
