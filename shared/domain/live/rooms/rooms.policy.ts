import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { RoomRole } from "#shared/contracts/views.ts";
import { assertNotBlocked } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import { noSuchRoom, notInRoom } from "./rooms.errors.ts";
import { findRoom, type RoomRow } from "./rooms.queries.ts";

/**
 * Loads a room that the viewer may know of.
 * @throws NOT_FOUND, also while a block stands between the viewer and the host
 */
export async function accessRoom(viewerId: string, roomId: string): Promise<RoomRow> {
  const row = await findRoom(roomId);
  if (!row) throw noSuchRoom();
  await assertNotBlocked("content", viewerId, row.host_id, noSuchRoom);
  return row;
}

/** Returns the caller's role in the room, by its actor. @throws NOT_A_MEMBER, ROOM_CLOSED, ENGINE_UNAVAILABLE */
async function accessRole(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<RoomRole> {
  const { my_role } = unwrap(await actors.voice(roomId, caller, "room:role_of", {}));
  if (my_role === null) throw notInRoom();
  return my_role;
}

/**
 * Admits those who may read the chat of a room: members, moderators, and the host, who may read it after closing, too.
 * @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER
 */
export async function accessChat(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<void> {
  const row = await accessRoom(caller.userId, roomId);
  if (row.host_id === caller.userId) return;
  if (row.status === "closed") throw new DomainError("ROOM_CLOSED");
  await accessRole(actors, caller, roomId);
}

/** Admits the host and the moderators of a room. @throws NOT_FOUND, ROOM_CLOSED, NOT_A_MEMBER, FORBIDDEN */
export async function accessBans(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<void> {
  await accessRoom(caller.userId, roomId);
  const role = await accessRole(actors, caller, roomId);
  if (role === "member") throw new DomainError("FORBIDDEN", "Only the host or a moderator can see bans.");
}

/** Throws unless the caller is in the room now. @throws NOT_A_MEMBER, or the error of the room's actor */
export async function assertInRoom(actors: VoiceActors, caller: UserPrincipal, roomId: string): Promise<void> {
  const { present } = unwrap(await actors.voice(roomId, caller, "room:present", { user_ids: [caller.userId] }));
  if (present.length === 0) throw notInRoom();
}
