import type { LiveCounts } from "#shared/contracts/actors.ts";
import type { RoomCard, UserCard } from "#shared/contracts/views.ts";
import { escapeLike, query, queryColumn, queryOne } from "#shared/db/query.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { userCards } from "#shared/domain/users/user-cards.queries.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";

/** A room as stored. */
export interface RoomRow extends Omit<RoomCard, "host" | "has_password" | "member_count" | "seated_count"> {
  host_id: string;
  password_hash: string | null;
  close_reason: string | null;
}

const columns = `id, host_id, name, category, language, description, is_private, password_hash, seat_count, status,
  close_reason, created_at`;

export function findRoom(roomId: string): Promise<RoomRow | undefined> {
  return queryOne<RoomRow>(`SELECT ${columns} FROM rooms WHERE id = $1`, [roomId]);
}

/** Returns the open rooms of a host, a handful at most. */
export function openRoomsOf(hostId: string): Promise<string[]> {
  return queryColumn("SELECT id FROM rooms WHERE host_id = $1 AND status = 'open'", [hostId]);
}

const emptyCounts: LiveCounts = { member_count: 0, seated_count: 0 };

/** Builds the card of a room from its row, its host's card, and its live counts. */
export function toRoomCard(row: RoomRow, host: UserCard, counts: LiveCounts = emptyCounts): RoomCard {
  const { id, name, category, language, description, is_private, seat_count, status, created_at } = row;
  return {
    id,
    name,
    category,
    language,
    description,
    is_private,
    has_password: row.password_hash !== null,
    seat_count,
    status,
    host,
    member_count: counts.member_count,
    seated_count: counts.seated_count,
    created_at,
  };
}

/** Returns the cards of those of these rooms that exist, by id. */
export async function roomCards(
  ids: readonly string[],
  counts: ReadonlyMap<string, LiveCounts>,
): Promise<Map<string, RoomCard>> {
  const rows = await query<RoomRow>(`SELECT ${columns} FROM rooms WHERE id = ANY($1::uuid[])`, [ids]);
  const hosts = await userCards(rows.map(({ host_id }) => host_id));
  return new Map(rows.map((row) => [row.id, toRoomCard(row, hosts.get(row.host_id)!, counts.get(row.id))]));
}

export interface RoomFilter extends PageQuery {
  category?: string;
  /**
   * `recommended`: rooms with people in them first, then newest first. `popular`: most people first. `new`: newest
   * first.
   */
  filter: "recommended" | "new" | "popular";
  q?: string;
}

/** `$1` and `$2`: the rooms with people in them, and how many; `$6`: the order. */
const discovery = {
  with: `found AS (
    SELECT rooms.*, CASE $6
      WHEN 'popular' THEN coalesce(members, 0)
      WHEN 'recommended' THEN least(coalesce(members, 0), 1)
      ELSE 0 END AS rank
    FROM rooms LEFT JOIN unnest($1::uuid[], $2::int[]) AS live (live_id, members) ON live_id = id
    WHERE status = 'open' AND (NOT is_private OR host_id = $3)
      AND host_id NOT IN (SELECT blocked_people($3))
      AND host_id NOT IN (
        SELECT id FROM users WHERE status = 'suspended' UNION ALL SELECT id FROM users WHERE status = 'deletion_pending'
      )
      AND ($4::text IS NULL OR category = $4) AND ($5::text IS NULL OR name ILIKE $5 OR description ILIKE $5)
  )`,
  count: "SELECT count(*) FROM found",
  rows: `SELECT ${columns} FROM found ORDER BY rank DESC, id DESC LIMIT $7 OFFSET $8`,
};

/**
 * Returns open rooms for discovery. Private rooms are listed only to their host. Leaves out rooms of hosts whose
 * account isn't active, or between whom and the viewer a block stands. `counts` are the live counts of all rooms.
 */
export async function listRooms(
  viewerId: string,
  filter: RoomFilter,
  counts: ReadonlyMap<string, LiveCounts>,
): Promise<Page<RoomCard>> {
  const live = [...counts].filter(([, { member_count }]) => member_count > 0);
  const liveIds = live.map(([id]) => id);
  const liveMembers = live.map(([, { member_count }]) => member_count);
  const typed = filter.q ? `%${escapeLike(filter.q)}%` : null;
  const values = [liveIds, liveMembers, viewerId, filter.category ?? null, typed, filter.filter];
  const found = await queryPage<RoomRow>(discovery, values, filter);
  const hosts = await userCards(found.items.map(({ host_id }) => host_id));
  return { ...found, items: found.items.map((row) => toRoomCard(row, hosts.get(row.host_id)!, counts.get(row.id))) };
}
