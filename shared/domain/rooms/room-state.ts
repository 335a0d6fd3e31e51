import { query, queryColumn, queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import type { Live } from "./live.ts";

export interface ClaimedRoom {
  epoch: number;
  live: Live | null;
  moderators: string[];
  bans: { user_id: string; banned_until: string }[];
  /** Coins that each occupant has received since they sat down. */
  giftsReceived: Map<string, number>;
  /** Gifts among those that the outbox has not delivered yet. */
  pendingGiftIds: string[];
}

/**
 * Claims a room for a new actor: raises the epoch, so that writes of all earlier actors are rejected from here on, and
 * reads the state that the last one left. Ends memberships of earlier actors.
 */
export async function claimRoom(roomId: string): Promise<ClaimedRoom> {
  const claimed = await queryOne<{ epoch: number; live: Live | null }>(
    `INSERT INTO room_states (room_id, epoch) VALUES ($1, 1)
     ON CONFLICT (room_id) DO UPDATE SET epoch = room_states.epoch + 1 RETURNING epoch, live`,
    [roomId],
  );
  const [moderators, bans, gifts] = await Promise.all([
    query<{ user_id: string }>("SELECT user_id FROM room_moderators WHERE room_id = $1", [roomId]),
    query<{ user_id: string; banned_until: string }>(
      "SELECT user_id, banned_until FROM room_bans WHERE room_id = $1 AND banned_until > now()",
      [roomId],
    ),
    giftsOfSittings(roomId, claimed?.live ?? null),
    query("DELETE FROM room_presence WHERE room_id = $1", [roomId]),
  ]);
  return {
    epoch: claimed!.epoch,
    live: claimed!.live,
    moderators: moderators.map(({ user_id }) => user_id),
    bans,
    giftsReceived: new Map(gifts.map(({ user_id, coins }) => [user_id, coins])),
    pendingGiftIds: gifts.flatMap(({ pending }) => pending),
  };
}

/** One statement, so that it sees of each gift both that it was sent and whether its event has been delivered. */
async function giftsOfSittings(
  roomId: string,
  live: Live | null,
): Promise<{ user_id: string; coins: number; pending: string[] }[]> {
  const seated = (live?.seats ?? []).filter(({ userId, since }) => userId && since);
  if (seated.length === 0) return [];
  return query(
    `SELECT s.user_id, coalesce(sum(g.total_coins), 0)::bigint AS coins,
       coalesce(array_agg(g.id::text) FILTER (WHERE o.gift_id IS NOT NULL), '{}') AS pending
     FROM unnest($2::uuid[], $3::timestamptz[]) AS s (user_id, since)
     LEFT JOIN gift_transactions g ON g.room_id = $1 AND g.recipient_id = s.user_id AND g.created_at >= s.since
     LEFT JOIN (
       SELECT DISTINCT (payload #>> '{transaction,id}')::uuid AS gift_id FROM undelivered_events
       WHERE topic = 'gift.sent' AND (target IS NULL OR target = 'room:' || $1::text)
     ) o ON o.gift_id = g.id
     GROUP BY s.user_id`,
    [roomId, seated.map(({ userId }) => userId), seated.map(({ since }) => since)],
  );
}

/** Step: writes the live state if `epoch` is still the newest. @throws StaleActorError */
export async function saveLive(tx: Tx, roomId: string, epoch: number, live: Live): Promise<void> {
  const saved = await tx.query("UPDATE room_states SET live = $3 WHERE room_id = $1 AND epoch = $2 RETURNING 1", [
    roomId,
    epoch,
    JSON.stringify(live),
  ]);
  if (saved.length === 0) throw new StaleActorError(roomId, epoch);
}

/** Returns whether this epoch is still the newest of the room. */
export async function isNewest(roomId: string, epoch: number): Promise<boolean> {
  const row = await queryOne<{ epoch: number }>("SELECT epoch FROM room_states WHERE room_id = $1", [roomId]);
  return row?.epoch === epoch;
}

/** Returns the rooms that had members when their actors died. They are restored when the service starts. */
export function roomsToRestore(): Promise<string[]> {
  return queryColumn(
    `SELECT r.id AS room_id FROM rooms r LEFT JOIN room_states s ON s.room_id = r.id
     WHERE r.status = 'open' AND (jsonb_path_exists(s.live, '$.seats[*].userId ? (@ != null)')
       OR EXISTS (SELECT 1 FROM room_presence p WHERE p.room_id = r.id)) LIMIT 1000`,
  );
}
