import type { LiveCounts } from "#shared/contracts/actors.ts";
import type { RoomCard, UserCard } from "#shared/contracts/views.ts";
import { escapeLike, query, queryColumn, queryOne } from "#shared/db/query.ts";
import { type PagedStatement, queryPage } from "#shared/db/query-page.ts";
import { queryAnywhere } from "#shared/db/replica.ts";
import { isActiveId } from "#shared/domain/identity/users/relation-columns.ts";
import { userCards } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newestId, offsetOf, oldestId, type Page, type PageQuery } from "#shared/kernel/page.ts";

/** A room as stored. */
export interface RoomRow extends Omit<RoomCard, "host" | "has_password" | "member_count" | "seated_count"> {
  host_id: string;
  password_hash: string | null;
  close_reason: string | null;
}

const columns = `id, host_id, name, category, language, description, cover_url, announcement, welcome, slow_mode_seconds,
  links_allowed, is_private, password_hash, seat_count, status, close_reason, created_at`;

export function findRoom(roomId: string): Promise<RoomRow | undefined> {
  return queryOne<RoomRow>(`SELECT ${columns} FROM rooms WHERE id = $1`, [roomId]);
}

/** Returns those of these rooms that exist, by id. */
export async function findRooms(roomIds: readonly string[]): Promise<Map<string, RoomRow>> {
  const rows = await query<RoomRow>(`SELECT ${columns} FROM rooms WHERE id = ANY ($1::uuid[])`, [roomIds]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Returns the open rooms of a host, a handful at most. */
export function openRoomsOf(hostId: string): Promise<string[]> {
  return queryColumn("SELECT id FROM rooms WHERE host_id = $1 AND status = 'open'", [hostId]);
}

const emptyCounts: LiveCounts = { member_count: 0, seated_count: 0 };

/** Builds the card of a room from its row, its host's card, and its live counts. */
export function toRoomCard(row: RoomRow, host: UserCard, counts: LiveCounts = emptyCounts): RoomCard {
  return {
    id: row.id,
    name: row.name,
    category: row.category,
    language: row.language,
    description: row.description,
    cover_url: row.cover_url,
    announcement: row.announcement,
    welcome: row.welcome,
    slow_mode_seconds: row.slow_mode_seconds,
    links_allowed: row.links_allowed,
    is_private: row.is_private,
    has_password: row.password_hash !== null,
    seat_count: row.seat_count,
    status: row.status,
    host,
    member_count: counts.member_count,
    seated_count: counts.seated_count,
    created_at: row.created_at,
  };
}

interface LiveRoomRow extends RoomRow, LiveCounts {}

interface ListedRow extends LiveRoomRow {
  readonly rank: number;
}

/** The columns of a card: `r` is the room, `l` its row in `live_rooms`, if people are in it. */
const cardColumns = `r.id, r.host_id, r.name, r.category, r.language, r.description, r.cover_url, r.announcement,
  r.welcome, r.slow_mode_seconds, r.links_allowed, r.is_private, r.password_hash, r.seat_count, r.status, r.close_reason, r.created_at, coalesce(l.member_count, 0) AS member_count,
  coalesce(l.seated_count, 0) AS seated_count`;

async function toRoomCards(rows: readonly LiveRoomRow[]): Promise<RoomCard[]> {
  const hosts = await userCards(rows.map(({ host_id }) => host_id));
  return rows.map((row) => toRoomCard(row, hosts.get(row.host_id)!, row));
}

/** Returns the cards of those of these rooms that exist, by id. */
export async function roomCards(ids: readonly string[]): Promise<Map<string, RoomCard>> {
  const rows = await query<LiveRoomRow>(
    `SELECT ${cardColumns} FROM rooms r LEFT JOIN live_rooms l ON l.room_id = r.id WHERE r.id = ANY ($1::uuid[])`,
    [ids],
  );
  return new Map((await toRoomCards(rows)).map((card) => [card.id, card]));
}

export interface RoomFilter extends PageQuery {
  category?: string;
  /**
   * `recommended`: rooms with people in them first, then newest first. `popular`: most people first. `new`: newest
   * first.
   */
  filter: "recommended" | "new" | "popular";
  q?: string;
  /** The `next_before` of another page: pages then begin after it. */
  before?: string;
}

/** A page of rooms, and where the next one begins; null if this one isn't full. */
export interface RoomPage extends Page<RoomCard> {
  readonly next_before: string | null;
}

/** Returns the rank and the ID of the room after which a list begins. */
function startOf(before: string | undefined): [rank: number, id: string] {
  if (before === undefined) return [2 ** 31 - 1, newestId];
  const [rank, id] = before.split("_") as [string, string];
  return [Number(rank), id];
}

/** `total` counts no further. */
export const countedRoomsMax = 1000;

/** Whether `$1` may see a public room `r`. */
const isVisible = `r.status = 'open' AND r.host_id NOT IN (SELECT blocked_people($1)) AND ${isActiveId("r.host_id")}`;

/** What ranks before what is newer. */
const ranks = { new: "0", recommended: "(l.room_id IS NOT NULL)::int", popular: "coalesce(l.member_count, 0)" };

/**
 * SQL for the ID that all of a part with this rank are below, where the list begins after the room `$4` with rank `$3`.
 */
const beginsBelow = (rank: 0 | 1) =>
  `CASE WHEN $3::int > ${rank} THEN '${newestId}'::uuid WHEN $3 = ${rank} THEN $4 ELSE '${oldestId}' END`;

/** The part of a list that `live_rooms` has in its order, from where it begins to the end of the page, `$2`. */
const livePart = (rank: string, category: string, order: string) => `
  SELECT l.room_id AS id, ${rank} AS rank FROM live_rooms l
  CROSS JOIN LATERAL (SELECT FROM rooms r WHERE r.id = l.room_id AND NOT r.is_private AND ${isVisible} OFFSET 0) r
  WHERE ${category.replace("r.", "l.")}
    AND ${order ? "(l.member_count, l.room_id) < ($3::int, $4::uuid)" : `l.room_id < ${beginsBelow(1)}`}
  ORDER BY ${order} l.room_id DESC LIMIT $2`;

/** Empty rooms, as many as the page has room for after the part before. */
const emptyPart = (category: string) => `
  SELECT r.id, 0 FROM rooms r
  WHERE NOT r.is_private AND ${isVisible} AND ${category} AND (SELECT count(*) FROM live_rooms l WHERE l.room_id = r.id) <> 1
    AND r.id < ${beginsBelow(0)}
  ORDER BY r.id DESC LIMIT greatest($2 - (SELECT count(*) FROM live), 0)`;

const newestPart = (category: string) => `
  SELECT r.id, 0 AS rank FROM rooms r WHERE NOT r.is_private AND ${isVisible} AND ${category} AND r.id < ${beginsBelow(0)}
  ORDER BY r.id DESC LIMIT $2`;

/** Private rooms of the caller, a handful at most. */
const ownPart = (rank: string, category: string, text: string) => `
  SELECT r.id, ${rank} FROM rooms r LEFT JOIN live_rooms l ON l.room_id = r.id
  WHERE r.host_id = $1 AND r.status = 'open' AND r.is_private AND ${category} AND ${text}`;

/**
 * Rooms with the text `$2` in their name or description, among the newest that have it. Looks up each, because a join
 * would read all live rooms.
 */
const searchedPart = (rank: string, category: string) => `
  SELECT found.id, ${rank} AS rank FROM search_rooms($2) AS found (id)
  CROSS JOIN LATERAL (SELECT FROM rooms r WHERE r.id = found.id AND ${isVisible} AND ${category} OFFSET 0) r
  LEFT JOIN LATERAL (SELECT * FROM live_rooms l WHERE l.room_id = found.id OFFSET 0) l ON true`;

/**
 * One statement for each kind of list, so that each follows its indexes whatever there is: its parts find IDs and
 * ranks, of which only those of the page become cards. `$1`: the viewer, `$2`: the pattern of a search, or else the end
 * of the page, `$3` and `$4`: the rank and the ID of the room after which the list begins, `$5`: the category, if any.
 */
function statementOf({ filter, category, q }: RoomFilter): PagedStatement {
  const rank = ranks[filter];
  const inCategory = category === undefined ? "true" : "r.category = $5";
  const own = ownPart(rank, inCategory, q ? `r.name || E'\n' || r.description ILIKE $2` : "true");
  const count = `SELECT least(count(*), ${countedRoomsMax}) FROM`;
  const last = category === undefined ? 4 : 5;
  const rows = `SELECT ${cardColumns}, f.rank FROM (
      SELECT * FROM found WHERE (rank, id) < ($3::int, $4::uuid) ORDER BY rank DESC, id DESC LIMIT $${last + 1} OFFSET $${last + 2}
    ) f JOIN rooms r ON r.id = f.id LEFT JOIN live_rooms l ON l.room_id = f.id ORDER BY f.rank DESC, f.id DESC`;
  if (q)
    return { with: `found AS (${searchedPart(rank, inCategory)} UNION ALL ${own})`, count: `${count} found`, rows };
  const counted = `${count} (
    (SELECT 1 FROM rooms r WHERE NOT r.is_private AND ${isVisible} AND ${inCategory} ORDER BY r.id DESC LIMIT ${countedRoomsMax})
    UNION ALL SELECT 1 FROM rooms r WHERE r.host_id = $1 AND r.status = 'open' AND r.is_private AND ${inCategory})`;
  if (filter === "new")
    return { with: `found AS ((${newestPart(inCategory)}) UNION ALL ${own})`, count: counted, rows };
  const order = filter === "popular" ? "l.member_count DESC," : "";
  const live = livePart(rank, inCategory, order);
  return {
    with: `live AS (${live}), found AS (SELECT * FROM live UNION ALL (${emptyPart(inCategory)}) UNION ALL ${own})`,
    count: counted,
    rows,
  };
}

/**
 * Returns open rooms for discovery. Private rooms are listed only to their host. Leaves out rooms of hosts whose
 * account isn't active, or between whom and the viewer a block stands. `total` is at most `countedRoomsMax`.
 */
export async function listRooms(viewerId: string, filter: RoomFilter): Promise<RoomPage> {
  const { q, category, before } = filter;
  const values = [
    viewerId,
    q ? `%${escapeLike(q)}%` : offsetOf(filter) + filter.limit,
    ...startOf(before),
    ...(category === undefined ? [] : [category]),
  ];
  const found = await queryPage<ListedRow>(statementOf(filter), values, filter, queryAnywhere);
  const last = found.items.length === filter.limit ? found.items.at(-1) : undefined;
  return { ...found, items: await toRoomCards(found.items), next_before: last ? `${last.rank}_${last.id}` : null };
}
