import * as views from "#shared/contracts/views.ts";
import { getRoomRules, setRoomRules } from "#shared/domain/live/rooms/room-rules.ts";
import type { ApiDeps } from "../../../deps.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./rooms.schemas.ts";

const route = routeOf("Rooms", "user");

/** What hosts and moderators don't want to be said in their room. */
export const roomRulesRoutes = ({ actors }: Pick<ApiDeps, "actors">): Route[] => [
  route({
    id: "getRoomRules",
    method: "get",
    path: "/rooms/:id/rules",
    blocks: "content",
    summary: "Get a room's rules",
    description: "Allowed for the host and moderators.",
    params: schemas.roomParams,
    response: views.roomRules,
    errors: schemas.runErrors,
    extension: true,
    handler: ({ caller, params }) => getRoomRules(actors, caller, params.id),
  }),
  route({
    id: "setRoomRules",
    method: "put",
    path: "/rooms/:id/rules",
    blocks: "unaffected",
    summary: "Set a room's rules",
    description:
      "Rules of the room for its members' messages, beside those of the service. They hold at once. Allowed for the host and moderators, who may say anything.",
    params: schemas.roomParams,
    body: schemas.setRoomRulesBody,
    response: views.roomRules,
    errors: [...schemas.runErrors, "CONTENT_BLOCKED"],
    rateLimit: { points: 20, seconds: 60, by: "user" },
    extension: true,
    handler: ({ caller, params, body }) => setRoomRules(actors, caller, params.id, body),
  }),
];
