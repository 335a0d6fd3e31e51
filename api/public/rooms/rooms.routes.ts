import { type ActionSpec, type VoiceAction, voiceActions } from "#shared/contracts/actions.ts";
import type { RoomPatch } from "#shared/contracts/actors.ts";
import { cursorPageOf, id, listOf, object, pageOf, without } from "#shared/contracts/fields.ts";
import * as views from "#shared/contracts/views.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import type { ApiDeps } from "../../deps.ts";
import { type Route, route } from "../../http/route.ts";
import { askRoom, getBans, getMessages, getRoom, getRooms, patchRoom, postRoom } from "./rooms.handlers.ts";
import * as schemas from "./rooms.schemas.ts";

const tag = "Rooms";
const engineErrors = ["NOT_FOUND", "ROOM_CLOSED", "ENGINE_UNAVAILABLE"] as const;
const user = { tag, auth: "user" } as const;
const empty = object({});

interface RoomActionParams extends schemas.RoomParams {
  [name: string]: string;
}

type ActionEntry = Pick<Route, "method" | "path" | "status" | "description" | "rateLimit" | "extension"> & {
  /** Members of the payload that stand in the path, and what they are called there. */
  readonly named?: Readonly<Record<string, string>>;
};

/** An action of a room by REST: the same as the event of its name, with the room in the path. */
function actionRoute(deps: ApiDeps, action: VoiceAction, { named = {}, description, ...entry }: ActionEntry): Route {
  const { payload, reply, errors, summary, by, ...spec }: ActionSpec = voiceActions[action];
  const body = without(payload, "room_id", ...Object.keys(named));
  const inPath = Object.fromEntries(Object.values(named).map((name) => [name, id()]));
  return route<RoomActionParams, object, object>({
    ...user,
    ...entry,
    summary,
    description: [spec.description, description, `Allowed for ${by}.`].filter(Boolean).join(" "),
    params: object({ id: id(), ...inPath }),
    ...(body && { body }),
    response: reply,
    errors: [...errors, ...engineErrors],
    handler: (call) => {
      const fromPath = Object.entries(named).map(([member, name]) => [member, call.params[name]]);
      return askRoom(deps, call, action, { ...call.body, ...Object.fromEntries(fromPath) });
    },
  });
}

export const roomsRoutes = (deps: ApiDeps): Route[] => [
  route<object, schemas.RoomListQuery>({
    ...user,
    method: "get",
    path: "/rooms",
    summary: "Discover open rooms, with live counts.",
    query: schemas.roomListQuery,
    response: pageOf(views.roomCard),
    handler: (call) => getRooms(deps, call),
  }),
  route<object, object, schemas.CreateRoomBody>({
    ...user,
    method: "post",
    path: "/rooms",
    summary: "Open a room; you are its host.",
    body: schemas.createRoomBody,
    status: 201,
    response: views.room,
    errors: ["CONFLICT", "ENGINE_UNAVAILABLE"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    handler: (call) => postRoom(deps, call),
  }),
  route<schemas.RoomParams>({
    ...user,
    method: "get",
    path: "/rooms/:id",
    summary: "A room with its seats and members; of a private one only who is in it or runs it sees these.",
    params: schemas.roomParams,
    response: views.room,
    errors: ["NOT_FOUND", "ENGINE_UNAVAILABLE"],
    handler: (call) => getRoom(deps, call),
  }),
  route<schemas.RoomParams, object, RoomPatch>({
    ...user,
    method: "patch",
    path: "/rooms/:id",
    summary: "Change a room; its host.",
    params: schemas.roomParams,
    body: schemas.patchRoomBody,
    response: views.roomCard,
    errors: ["FORBIDDEN", "NOT_A_MEMBER", ...engineErrors],
    handler: (call) => patchRoom(deps, call),
  }),
  route<schemas.RoomParams>({
    ...user,
    method: "delete",
    path: "/rooms/:id",
    summary: "Close a room; its host.",
    params: schemas.roomParams,
    response: views.roomCard,
    errors: ["FORBIDDEN", "NOT_A_MEMBER", ...engineErrors],
    handler: (call) => askRoom(deps, call, "room:close", { reason: "closed by the host" }),
  }),
  actionRoute(deps, "room:join", {
    method: "post",
    path: "/rooms/:id/join",
    description: "Join over a realtime connection within 120 s, or you are removed from the room.",
    rateLimit: { points: 60, seconds: 60, by: "user" },
  }),
  actionRoute(deps, "room:leave", { method: "post", path: "/rooms/:id/leave" }),
  route<schemas.RoomParams, { before?: string; limit: number }>({
    ...user,
    method: "get",
    path: "/rooms/:id/messages",
    summary: "Chat history, newest first; for who is in the room or runs it.",
    params: schemas.roomParams,
    query: schemas.messagesQuery,
    response: cursorPageOf(views.roomMessage),
    errors: ["NOT_A_MEMBER", ...engineErrors],
    handler: (call) => getMessages(deps, call),
  }),
  actionRoute(deps, "message:delete", {
    method: "delete",
    path: "/rooms/:id/messages/:messageId",
    named: { message_id: "messageId" },
    extension: true,
  }),
  actionRoute(deps, "seat:request", { method: "post", path: "/rooms/:id/seat-request", status: 201 }),
  route<schemas.RoomParams>({
    ...user,
    method: "get",
    path: "/rooms/:id/seat-requests",
    summary: "Pending seat requests; host and moderators.",
    params: schemas.roomParams,
    response: listOf(views.seatRequest),
    errors: ["FORBIDDEN", "NOT_A_MEMBER", ...engineErrors],
    handler: (call) => askRoom(deps, call, "room:requests", {}),
  }),
  ...(["approve", "reject"] as const).map((verb) =>
    actionRoute(deps, `seat:${verb}`, {
      method: "post",
      path: `/rooms/:id/seat-requests/:requestId/${verb}`,
      named: { request_id: "requestId" },
      extension: true,
    }),
  ),
  actionRoute(deps, "room:kick", { method: "post", path: "/rooms/:id/kick", extension: true }),
  route<schemas.RoomParams, PageQuery>({
    ...user,
    method: "get",
    path: "/rooms/:id/bans",
    summary: "Bans that hold, newest first; host and moderators.",
    params: schemas.roomParams,
    query: schemas.bansQuery,
    response: pageOf(views.roomBan),
    errors: ["FORBIDDEN", "NOT_A_MEMBER", ...engineErrors],
    extension: true,
    handler: (call) => getBans(deps, call),
  }),
  route<schemas.RoomParams, { user_id?: string }>({
    ...user,
    method: "delete",
    path: "/rooms/:id/bans",
    summary: "Lift one person's ban, or all; host and moderators.",
    params: schemas.roomParams,
    query: schemas.unbanQuery,
    response: empty,
    errors: ["FORBIDDEN", "NOT_A_MEMBER", ...engineErrors],
    extension: true,
    handler: (call) => askRoom(deps, call, "room:unban", call.query),
  }),
  actionRoute(deps, "room:role", {
    method: "put",
    path: "/rooms/:id/members/:userId/role",
    named: { user_id: "userId" },
    extension: true,
  }),
];
