import { type VoiceAction, voiceActions } from "#shared/contracts/actions.ts";
import type { VoiceActors } from "#shared/contracts/actors.ts";
import { exampleIds } from "#shared/contracts/examples.ts";
import { cursorPageOf, empty, id as idField, listOf, object, pageOf } from "#shared/contracts/fields.ts";
import * as views from "#shared/contracts/views.ts";
import { listBans } from "#shared/domain/live/rooms/bans.queries.ts";
import { createRoom } from "#shared/domain/live/rooms/create-room.ts";
import { getRoom, listMembers } from "#shared/domain/live/rooms/get-room.ts";
import { listMessages, listPins } from "#shared/domain/live/rooms/messages.queries.ts";
import { listRooms } from "#shared/domain/live/rooms/rooms.queries.ts";
import { updateRoom } from "#shared/domain/live/rooms/update-room.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import type { ApiDeps } from "../../../deps.ts";
import { actionEntry } from "../../../http/action-entry.ts";
import { userOrAdminWrite } from "../../../http/admin-route.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import { roomRulesRoutes } from "./room-rules.routes.ts";
import * as schemas from "./rooms.schemas.ts";

const route = routeOf("Rooms", "user");
const inPath = { message_id: ["messageId", exampleIds.roomMessage] } as const;

export const roomsRoutes = ({ actors }: ApiDeps): Route[] => [
  route({
    id: "listRooms",
    method: "get",
    path: "/rooms",
    summary: "List open rooms",
    description:
      "Includes live counts of members and seats. Private rooms are listed only for their host. Rooms of hosts who have blocked you, or whom you have blocked, are left out. `total` is at most 1,000, also if there are more.",
    query: schemas.roomListQuery,
    response: schemas.roomList,
    handler: async ({ caller, query }) => {
      await actors.settleCounts();
      return listRooms(caller.userId, query);
    },
  }),
  route({
    id: "createRoom",
    method: "post",
    path: "/rooms",
    summary: "Create a room",
    description:
      "You become its host, but you aren't in it: `joined` is false, and seat 1 is empty until you join the room. You can have up to 10 open rooms. Your followers are notified of a public room.",
    blocks: "none",
    body: schemas.createRoomBody,
    status: 201,
    response: views.room,
    errors: ["CONFLICT", "NOT_FOUND", "CONTENT_BLOCKED"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: ({ caller, body }) => createRoom(caller, body),
  }),
  route({
    id: "getRoom",
    method: "get",
    path: "/rooms/:id",
    blocks: "content",
    summary: "Get a room",
    description:
      "Includes its seats and members. If the room is private, only its members, moderators, and host see these.",
    params: schemas.roomParams,
    response: views.room,
    handler: ({ caller, params }) => getRoom(actors, caller, params.id),
  }),
  route({
    id: "listRoomMembers",
    method: "get",
    path: "/rooms/:id/members",
    blocks: "content",
    summary: "List members",
    description:
      "Those who run the room and those on a seat first, then in the order in which they joined. If the room is private, only its members, moderators, and host see them.",
    params: schemas.roomParams,
    query: schemas.membersQuery,
    response: pageOf(views.member),
    extension: true,
    handler: ({ caller, params, query }) => listMembers(actors, caller, params.id, query),
  }),
  userOrAdminWrite({
    tag: "Rooms",
    id: "updateRoom",
    method: "patch",
    path: "/rooms/:id",
    blocks: "none",
    summary: "Update a room",
    description:
      "The host or an administrator can update a room. Fields that you omit stay unchanged. Returns the room's card, without seats and members.",
    permission: "rooms.write",
    audit: { action: "room.update", target: ({ params }) => ({ type: "room", id: params.id }) },
    params: schemas.roomParams,
    body: schemas.updateRoomBody,
    response: views.roomCard,
    errors: [...schemas.runErrors, "CONFLICT", "CONTENT_BLOCKED"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: ({ caller, params, body }) => updateRoom(actors, caller, params.id, body),
  }),
  userOrAdminWrite({
    tag: "Rooms",
    id: "closeRoom",
    method: "delete",
    path: "/rooms/:id",
    blocks: "none",
    summary: "Close a room",
    permission: "rooms.write",
    audit: { action: "room.close", target: ({ params }) => ({ type: "room", id: params.id }) },
    description:
      "The host or an administrator can close a room. Everyone in it is removed. A closed room can't be reopened.",
    params: schemas.roomParams,
    response: views.roomCard,
    errors: schemas.runErrors,
    handler: async ({ caller, params }) => {
      const reason = `closed by ${caller.kind === "admin" ? "an administrator" : "the host"}`;
      return unwrap(await actors.voice(params.id, caller, "room:close", { reason }));
    },
  }),
  actionRoute(actors, "room:join", {
    id: "joinRoom",
    method: "post",
    path: "/rooms/:id/join",
    note: "The open Socket.IO connections of your session receive the room's events from then on. Without any, connect and send `room:join` within 120 seconds, or you are removed from the room.",
    rateLimit: { points: 60, seconds: 60, by: "user" },
  }),
  actionRoute(actors, "room:leave", { id: "leaveRoom", method: "post", path: "/rooms/:id/leave" }),
  route({
    id: "listRoomMessages",
    method: "get",
    path: "/rooms/:id/messages",
    blocks: "content",
    summary: "List chat messages",
    description:
      "Newest first, without deleted messages. Allowed for members, moderators, and the host, who can also read the chat of a closed room.",
    params: schemas.roomParams,
    query: schemas.messagesQuery,
    response: cursorPageOf(views.roomMessage),
    errors: ["NOT_A_MEMBER", "ROOM_CLOSED"],
    handler: ({ caller, params, query }) => listMessages(actors, caller, params.id, query),
  }),
  actionRoute(actors, "room:message", {
    id: "sendRoomMessage",
    method: "post",
    path: "/rooms/:id/messages",
    status: 201,
    rateLimit: { points: 120, seconds: 60, by: "user" },
    extension: true,
  }),
  actionRoute(actors, "message:edit", {
    id: "editRoomMessage",
    method: "patch",
    path: "/rooms/:id/messages/:messageId",
    inPath,
    extension: true,
  }),
  actionRoute(actors, "message:react", {
    id: "addReaction",
    method: "put",
    path: "/rooms/:id/messages/:messageId/reactions/:emoji",
    inPath: { ...inPath, emoji: ["emoji", "❤️"] },
    extension: true,
  }),
  actionRoute(actors, "message:unreact", {
    id: "removeReaction",
    method: "delete",
    path: "/rooms/:id/messages/:messageId/reactions/:emoji",
    inPath: { ...inPath, emoji: ["emoji", "❤️"] },
    extension: true,
  }),
  route({
    id: "listPins",
    method: "get",
    path: "/rooms/:id/pins",
    blocks: "content",
    summary: "List pinned messages",
    description: "The latest pin first. Allowed for those who can read the room's chat.",
    extension: true,
    params: schemas.roomParams,
    response: listOf(views.roomMessage),
    errors: ["NOT_A_MEMBER", "ROOM_CLOSED", "CONTENT_BLOCKED", "CONTENT_BLOCKED"],
    handler: ({ caller, params }) => listPins(actors, caller, params.id),
  }),
  actionRoute(actors, "message:pin", {
    id: "pinRoomMessage",
    method: "put",
    path: "/rooms/:id/pins/:messageId",
    inPath,
    extension: true,
  }),
  actionRoute(actors, "message:unpin", {
    id: "unpinRoomMessage",
    method: "delete",
    path: "/rooms/:id/pins/:messageId",
    inPath,
    extension: true,
  }),
  actionRoute(actors, "message:delete", {
    id: "deleteRoomMessage",
    method: "delete",
    path: "/rooms/:id/messages/:messageId",
    inPath,
    extension: true,
  }),
  actionRoute(actors, "seat:request", {
    id: "requestSeat",
    method: "post",
    path: "/rooms/:id/seat-request",
    status: 201,
  }),
  route({
    id: "listSeatRequests",
    method: "get",
    path: "/rooms/:id/seat-requests",
    blocks: "unaffected",
    summary: "List pending seat requests",
    description: "Allowed for the host and moderators.",
    params: schemas.roomParams,
    response: listOf(views.seatRequest),
    errors: schemas.runErrors,
    handler: async ({ caller, params }) => unwrap(await actors.voice(params.id, caller, "room:requests", {})),
  }),
  ...(["approve", "reject"] as const).map((verb) =>
    actionRoute(actors, `seat:${verb}`, {
      id: `${verb}SeatRequest`,
      method: "post",
      path: `/rooms/:id/seat-requests/:requestId/${verb}`,
      inPath: { request_id: ["requestId", exampleIds.seatRequest] },
      extension: true,
    }),
  ),
  actionRoute(actors, "room:kick", { id: "kickUser", method: "post", path: "/rooms/:id/kick", extension: true }),
  route({
    id: "listRoomBans",
    method: "get",
    path: "/rooms/:id/bans",
    blocks: "content",
    summary: "List active bans",
    description: "Newest first. Allowed for the host and moderators.",
    params: schemas.roomParams,
    query: schemas.bansQuery,
    response: pageOf(views.roomBan),
    errors: schemas.runErrors,
    extension: true,
    handler: ({ caller, params, query }) => listBans(actors, caller, params.id, query),
  }),
  route({
    id: "liftRoomBans",
    method: "delete",
    path: "/rooms/:id/bans",
    blocks: "unaffected",
    summary: "Lift bans",
    description: "Lifts the ban of one user or, without `user_id`, all bans. Allowed for the host and moderators.",
    params: schemas.roomParams,
    query: schemas.unbanQuery,
    response: empty,
    errors: schemas.runErrors,
    extension: true,
    handler: async ({ caller, params, query }) => {
      unwrap(await actors.voice(params.id, caller, "room:unban", query));
    },
  }),
  ...roomRulesRoutes({ actors }),
  actionRoute(actors, "room:role", {
    id: "setMemberRole",
    method: "put",
    path: "/rooms/:id/members/:userId/role",
    inPath: { user_id: ["userId", exampleIds.grace] },
    extension: true,
  }),
];

type ActionEntry = Required<Pick<Route, "id">> &
  Pick<Route, "method" | "path" | "status" | "rateLimit" | "extension"> & {
    /** Added to the action's own description. */
    readonly note?: string;
    /** Fields of the payload that are in the path: the name of the parameter, and an example. */
    readonly inPath?: Readonly<Record<string, readonly [name: string, example: string]>>;
  };

/** Makes the REST form of a room's action, with the room in the path. */
function actionRoute(
  actors: VoiceActors,
  action: VoiceAction,
  { id, note, inPath = {}, ...entry }: ActionEntry,
): Route {
  const fromTable = actionEntry(id, voiceActions[action], ["room_id", ...Object.keys(inPath)], note);
  const inPathFields = Object.entries(inPath).map(([field, [name, example]]) => [
    name,
    field === "emoji" ? views.emoji(example) : idField(example),
  ]);
  return route({
    ...entry,
    ...fromTable,
    errors: [...fromTable.errors, "ROOM_CLOSED"],
    params: object({ id: idField(exampleIds.room), ...Object.fromEntries(inPathFields) }),
    handler: async ({ caller, params, body }) => {
      const values: Readonly<Record<string, string>> = params;
      const fromPath = Object.entries(inPath).map(([field, [name]]) => [field, values[name]]);
      return unwrap(await actors.voice(params.id, caller, action, { ...body, ...Object.fromEntries(fromPath) }));
    },
  });
}
