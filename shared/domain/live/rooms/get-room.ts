import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Member, Room } from "#shared/contracts/views.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { type Page, type PageQuery, toPage } from "#shared/kernel/page.ts";
import { accessRoom } from "./rooms.policy.ts";
import { type RoomRow, toRoomCard } from "./rooms.queries.ts";

/** Returns a room as the caller may see it, with what is live in it. @throws NOT_FOUND, ENGINE_UNAVAILABLE */
export async function getRoom(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<Room> {
  const row = await accessRoom(caller.userId, roomId);
  if (row.status === "closed") return closedRoom(row, caller.userId);

  const viewed = await actors.voice(row.id, caller, "room:view", {});
  const closedMeanwhile = !viewed.ok && viewed.code === "ROOM_CLOSED";
  return closedMeanwhile ? closedRoom({ ...row, status: "closed" }, caller.userId) : unwrap(viewed);
}

/**
 * Returns a page of a room's members as the caller may see them; a closed room has none.
 * @throws NOT_FOUND, ENGINE_UNAVAILABLE
 */
export async function listMembers(
  actors: VoiceActors,
  caller: UserPrincipal,
  roomId: string,
  page: PageQuery,
): Promise<Page<Member>> {
  const { id, status } = await accessRoom(caller.userId, roomId);
  const none = () => toPage<Member>([], 0, page);
  if (status === "closed") return none();

  const listed = await actors.voice(id, caller, "room:members", page);
  return !listed.ok && listed.code === "ROOM_CLOSED" ? none() : unwrap(listed);
}

/** A closed room has no actor, no members and no seats. */
async function closedRoom(row: RoomRow, viewerId: string): Promise<Room> {
  const host = await findUserCard(row.host_id);
  const my_role = row.host_id === viewerId ? "host" : null;
  return { ...toRoomCard(row, host), seats: [], members: [], my_role, joined: false, version: 0, seq: 0 };
}
