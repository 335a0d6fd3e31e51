import type { RoomRules } from "#shared/contracts/views.ts";
import { query, queryColumn } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import type { Live } from "./live.ts";
import { recordSittings } from "./seat-sessions.ts";

export interface ClaimedRoom {
  epoch: number;
  live: Live | null;
  /** The newest message; null if there is none. */
  lastMessageId: string | null;
  moderators: string[];
  bans: { user_id: string; banned_until: string }[];
  /** What may not be said there. */
  rules: RoomRules | undefined;
  /** Coins that each occupant has received since they sat down. */
  giftsReceived: Map<string, number>;
  /** Gifts among those that the outbox has not delivered yet. */
  pendingGiftIds: string[];
}

/**
 * Claims rooms for new actors: raises their epochs, so that writes of all earlier actors are rejected from here on, and
 * reads the states that the last ones left. Returns them by room.
 */
export async function claimRooms(roomIds: readonly string[]): Promise<Map<string, ClaimedRoom>> {
  // In one order, so that processes that claim the same rooms don't wait for each other in a circle.
  const claimed = await alone<{ room_id: string; epoch: number; live: Live | null }>(
    `INSERT INTO room_states (room_id, epoch) SELECT id, 1 FROM unnest($1::uuid[]) AS id ORDER BY id
     ON CONFLICT (room_id) DO UPDATE SET epoch = room_states.epoch + 1
     RETURNING room_id, epoch, live`,
    [roomIds],
  );
  const [messages, moderators, bans, rules, gifts] = await Promise.all([
    // A statement of its own: the one before may have waited for messages, and doesn't see them.
    query<{ room_id: string; last_id: string | null }>(
      `SELECT id AS room_id, (SELECT m.id FROM room_messages m
         WHERE m.room_id = r.id AND m.deleted_at IS NULL ORDER BY m.id DESC LIMIT 1) AS last_id
       FROM unnest($1::uuid[]) AS r (id)`,
      [roomIds],
    ),
    query<{ room_id: string; user_id: string }>(
      "SELECT room_id, user_id FROM room_moderators WHERE room_id = ANY ($1::uuid[])",
      [roomIds],
    ),
    query<{ room_id: string; user_id: string; banned_until: string }>(
      "SELECT room_id, user_id, banned_until FROM room_bans WHERE room_id = ANY ($1::uuid[]) AND banned_until > now()",
      [roomIds],
    ),
    query<{ room_id: string; rules: RoomRules }>(
      "SELECT room_id, rules FROM room_rules WHERE room_id = ANY ($1::uuid[])",
      [roomIds],
    ),
    giftsOfSittings(claimed),
  ]);
  const lastOf = new Map(messages.map(({ room_id, last_id }) => [room_id, last_id]));
  const [moderatorsOf, bansOf, giftsOf] = [byRoom(moderators), byRoom(bans), byRoom(gifts)];
  const rulesOf = new Map(rules.map((row) => [row.room_id, row.rules]));
  return new Map(
    claimed.map(({ room_id, epoch, live }) => {
      const given = giftsOf.get(room_id) ?? [];
      const room: ClaimedRoom = {
        epoch,
        live,
        lastMessageId: lastOf.get(room_id) ?? null,
        moderators: (moderatorsOf.get(room_id) ?? []).map(({ user_id }) => user_id),
        bans: bansOf.get(room_id) ?? [],
        rules: rulesOf.get(room_id),
        giftsReceived: new Map(given.map(({ user_id, coins }) => [user_id, coins])),
        pendingGiftIds: given.flatMap(({ pending }) => pending),
      };
      return [room_id, room];
    }),
  );
}

const byRoom = <Row extends { room_id: string }>(rows: readonly Row[]) => Map.groupBy(rows, ({ room_id }) => room_id);

interface GiftsOfSitting {
  room_id: string;
  user_id: string;
  coins: number;
  /** IDs of those whose events are not delivered yet. */
  pending: string[];
}

/**
 * One statement, so that it sees of each gift both that it was sent and whether its event has been delivered. The ID of
 * a gift only rules out partitions: the clock that it is from is another one.
 */
async function giftsOfSittings(rooms: readonly { room_id: string; live: Live | null }[]): Promise<GiftsOfSitting[]> {
  const sittings = rooms.flatMap(({ room_id, live }) =>
    (live?.seats ?? []).filter(({ userId, since }) => userId && since).map((seat) => ({ room_id, ...seat })),
  );
  if (sittings.length === 0) return [];
  return query(
    `SELECT s.room_id, s.user_id, coalesce(sum(g.total_coins), 0)::bigint AS coins,
       coalesce(array_agg(g.id::text) FILTER (WHERE o.gift_id IS NOT NULL), '{}') AS pending
     FROM unnest($1::uuid[], $2::uuid[], $3::timestamptz[]) AS s (room_id, user_id, since)
     LEFT JOIN gift_transactions g ON g.room_id = s.room_id AND g.recipient_id = s.user_id AND g.created_at >= s.since
       AND g.id >= first_id_at(s.since - interval '1 day')
     LEFT JOIN (
       SELECT DISTINCT (payload #>> '{transaction,id}')::uuid AS gift_id FROM undelivered_events WHERE topic = 'gift.sent'
         AND (target IS NULL OR target = ANY (SELECT 'room:' || id FROM unnest($1::uuid[]) AS id))
     ) o ON o.gift_id = g.id
     GROUP BY s.room_id, s.user_id`,
    [sittings.map(({ room_id }) => room_id), sittings.map(({ userId }) => userId), sittings.map(({ since }) => since)],
  );
}

/**
 * Step: writes the live state if `epoch` is still the newest, and how long those sat who have a seat in `before` only.
 * @throws StaleActorError
 */
export async function saveLive(tx: Tx, roomId: string, epoch: number, live: Live, before?: Live): Promise<void> {
  const saved = await tx.query("UPDATE room_states SET live = $3 WHERE room_id = $1 AND epoch = $2 RETURNING 1", [
    roomId,
    epoch,
    JSON.stringify(live),
  ]);
  if (saved.length === 0) throw new StaleActorError(roomId, epoch);
  if (before) recordSittings(tx, roomId, before.seats, live.seats);
}

/** A room as its actor knows it. */
export interface OwnedRoom {
  readonly roomId: string;
  readonly epoch: number;
  readonly memberCount: number;
}

/**
 * Returns the rooms that a newer actor owns (`stale`), and those of whose members some aren't recorded in
 * `room_presence`.
 */
export function differingRooms(rooms: readonly OwnedRoom[]): Promise<{ room_id: string; stale: boolean }[]> {
  return query(
    `SELECT mine.room_id, s.epoch IS DISTINCT FROM mine.epoch AS stale
     FROM unnest($1::uuid[], $2::bigint[], $3::int[]) AS mine (room_id, epoch, members)
     LEFT JOIN room_states s USING (room_id) WHERE s.epoch IS DISTINCT FROM mine.epoch
       OR (SELECT count(*) FROM room_presence p WHERE p.room_id = mine.room_id) < mine.members`,
    [rooms.map(({ roomId }) => roomId), rooms.map(({ epoch }) => epoch), rooms.map(({ memberCount }) => memberCount)],
  );
}

/** More rooms than this are restored only when someone asks for them. */
const restoredMax = 100_000;

/**
 * Returns the rooms that had members when their actors died, and have no actor in another process. They are restored
 * when the service starts.
 */
export function roomsToRestore(): Promise<string[]> {
  return queryColumn(
    `SELECT r.id FROM rooms r WHERE r.status = 'open'
       AND r.id IN (SELECT room_id FROM room_states WHERE jsonb_path_exists(live, '$.seats[*].userId ? (@ != null)')
         UNION SELECT room_id FROM room_presence)
       AND NOT EXISTS (SELECT 1 FROM live_rooms l WHERE l.room_id = r.id) LIMIT ${restoredMax}`,
  );
}
