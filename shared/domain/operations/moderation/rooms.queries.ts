import type { Actors, LiveCounts } from "#shared/contracts/actors.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { ManagedRoom, ManagedRoomDetails, RoomSnapshot } from "#shared/contracts/views.ts";
import { type FilteredList, type ListFilter, listFiltered, readFiltered } from "#shared/db/filtered-list.ts";
import { queryOne } from "#shared/db/query.ts";
import { jsonTime } from "#shared/domain/identity/sanctions/sanctions.queries.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import { countMax, type Page, type PageQuery } from "#shared/kernel/page.ts";

const columns = `r.id, r.host_id, r.name, r.category, r.language, r.is_private, r.password_hash IS NOT NULL AS has_password,
  r.seat_count, r.status, r.close_reason, r.created_at, r.closed_at`;

const rooms: FilteredList = {
  columns: `${columns}, coalesce(l.member_count, 0) AS member_count, coalesce(l.seated_count, 0) AS seated_count,
    l.process_id`,
  from: "rooms r",
  joins: "LEFT JOIN live_rooms l ON l.room_id = r.id",
  id: "r.id",
  filters: {
    status: "r.status = ?",
    host_id: "r.host_id = ?",
    category: "r.category = ?",
    // An array, because the planner takes a table without rows for one that was never counted.
    live: "r.id = ANY(ARRAY(SELECT room_id FROM live_rooms)) AND ?",
  },
  // Apart from the order, in which the planner would read all rooms for a few names.
  search: String.raw`SELECT id FROM rooms WHERE lower(name) LIKE '%' || regexp_replace(lower(?), '([\\%_])', '\\\1', 'g') || '%'
    ORDER BY id DESC LIMIT ${countMax}`,
  sorts: { created_at: "r.id", name: "r.name" },
};

/** `live` leaves out empty rooms; without it, all are listed. */
const resolved = ({ live, ...filter }: ListFilter): ListFilter => ({ ...filter, ...(live === true && { live }) });

/** Returns a page of all rooms, with how many people are in each. `live`: only rooms with members. */
export async function listAllRooms(actors: Actors, filter: ListFilter, page: PageQuery): Promise<Page<ManagedRoom>> {
  await actors.settleCounts();
  return listFiltered<ManagedRoom>(rooms, resolved(filter), page);
}

/** Returns a page of the rooms with a part of a name. Their counts may be a moment old. */
export const listRoomsByName = (q: string, page: PageQuery) => listFiltered<ManagedRoom>(rooms, { q }, page);

/** Yields the same list in batches. */
export async function* readAllRooms(actors: Actors, filter: ListFilter): AsyncGenerator<ManagedRoom[]> {
  await actors.settleCounts();
  yield* readFiltered<ManagedRoom>(rooms, resolved(filter));
}

type StoredRoom = Omit<ManagedRoomDetails, keyof LiveCounts | "process_id" | "live">;

/** Returns a room with what its actor says of it. @throws NOT_FOUND, ENGINE_UNAVAILABLE */
export async function getRoomDetails(actors: Actors, caller: AdminPrincipal, id: string): Promise<ManagedRoomDetails> {
  const room = await queryOne<StoredRoom>(
    `SELECT ${columns}, r.description, (
       SELECT u.rules || jsonb_build_object('changed_by', u.changed_by, 'changed_at', ${jsonTime("u.changed_at")})
       FROM room_rules u WHERE u.room_id = r.id) AS rules
     FROM rooms r WHERE r.id = $1`,
    [id],
  );
  if (!room) throw new DomainError("NOT_FOUND");
  const live = room.status === "open" ? await inspect(actors, caller, id) : null;
  return {
    ...room,
    member_count: live?.members.length ?? 0,
    seated_count: live?.seats.filter(({ user }) => user).length ?? 0,
    process_id: live?.process_id ?? null,
    live,
  };
}

/** Returns null for a room that was closed in the meantime. */
async function inspect(actors: Actors, caller: AdminPrincipal, id: string): Promise<RoomSnapshot | null> {
  const seen = await actors.voice(id, caller, "room:inspect", {});
  return !seen.ok && seen.code === "ROOM_CLOSED" ? null : unwrap(seen);
}

/** Closes a room: its actor tells the members, ends their voice, and writes the audit entry with its commit. */
export async function closeRoomFor(
  actors: Actors,
  caller: AdminPrincipal,
  id: string,
  reason: string,
): Promise<ManagedRoomDetails> {
  unwrap(await actors.voice(id, caller, "room:close", { reason }));
  return getRoomDetails(actors, caller, id);
}
