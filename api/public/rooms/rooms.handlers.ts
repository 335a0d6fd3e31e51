import type { ActionOf, InputOf, ReplyOf, RoomPatch } from "#shared/contracts/actors.ts";
import type { Room, RoomBan, RoomCard, RoomMessage } from "#shared/contracts/views.ts";
import { checkListed, createRoom } from "#shared/domain/rooms/create-room.ts";
import { listMessages } from "#shared/domain/rooms/messages.queries.ts";
import { accessRoom } from "#shared/domain/rooms/rooms.policy.ts";
import { listBans, listRooms, type RoomRow, toRoomCard } from "#shared/domain/rooms/rooms.queries.ts";
import { userCard } from "#shared/domain/users/user-cards.queries.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import type { CursorPage, Page, PageQuery } from "#shared/kernel/page.ts";
import type { ApiDeps } from "../../deps.ts";
import type { Call } from "../../http/route.ts";
import type { CreateRoomBody, RoomListQuery, RoomParams } from "./rooms.schemas.ts";

/** Asks the room's actor in the caller's name; a refusal is thrown. */
export async function askRoom<A extends ActionOf<"voice_room">>(
  { actors }: ApiDeps,
  { caller, params }: Call<RoomParams, object, object>,
  action: A,
  input: InputOf<"voice_room", A>,
): Promise<ReplyOf<"voice_room", A>> {
  return unwrap(await actors.voice(params.id, caller, action, input));
}

export async function getRooms({ actors }: ApiDeps, call: Call<object, RoomListQuery>): Promise<Page<RoomCard>> {
  return listRooms(call.caller.userId, call.query, await actors.liveCounts());
}

export async function postRoom(deps: ApiDeps, call: Call<object, object, CreateRoomBody>): Promise<Room> {
  const id = await createRoom(call.caller, call.body);
  return askRoom(deps, { ...call, params: { id } }, "room:view", {});
}

export async function getRoom(deps: ApiDeps, call: Call<RoomParams>): Promise<Room> {
  const row = await accessRoom(call.caller.userId, call.params.id);
  if (row.status === "closed") return closedRoom(row, call.caller.userId);
  const answer = await deps.actors.voice(row.id, call.caller, "room:view", {});
  // It was closed meanwhile.
  if (!answer.ok && answer.code === "ROOM_CLOSED") return closedRoom({ ...row, status: "closed" }, call.caller.userId);
  return unwrap(answer);
}

/** A closed room has no actor, no people and free seats. */
async function closedRoom(row: RoomRow, viewerId: string): Promise<Room> {
  const host = (await userCard(row.host_id))!;
  const my_role = row.host_id === viewerId ? "host" : null;
  return { ...toRoomCard(row, host), seats: [], members: [], my_role, version: 0, seq: 0 };
}

export async function patchRoom(deps: ApiDeps, call: Call<RoomParams, object, RoomPatch>): Promise<RoomCard> {
  checkListed(call.body);
  return askRoom(deps, call, "room:update", call.body);
}

/** History is for those who are in the room and those who run it. @throws NOT_A_MEMBER */
export async function getMessages(
  deps: ApiDeps,
  call: Call<RoomParams, { before?: string; limit: number }>,
): Promise<CursorPage<RoomMessage>> {
  await mustBelong(deps, call);
  return listMessages(call.caller.userId, call.params.id, call.query);
}

/** @throws NOT_FOUND, NOT_A_MEMBER */
async function mustBelong(deps: ApiDeps, call: Call<RoomParams, object>): Promise<void> {
  const row = await accessRoom(call.caller.userId, call.params.id);
  if (row.host_id === call.caller.userId) return;
  if (row.status === "closed") throw new DomainError("ROOM_CLOSED");
  const { my_role } = await askRoom(deps, call, "room:role_of", {});
  if (my_role === null) throw new DomainError("NOT_A_MEMBER", "You are not in this room.");
}

export async function getBans(deps: ApiDeps, call: Call<RoomParams, PageQuery>): Promise<Page<RoomBan>> {
  await accessRoom(call.caller.userId, call.params.id);
  const { my_role } = await askRoom(deps, call, "room:role_of", {});
  if (my_role === null) throw new DomainError("NOT_A_MEMBER", "You are not in this room.");
  if (my_role === "member") throw new DomainError("FORBIDDEN", "Only the host and moderators may see the bans.");
  return listBans(call.caller.userId, call.params.id, call.query);
}
