import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { id, object, oneOf, text } from "#shared/contracts/fields.ts";
import { managedRoom, managedRoomDetails } from "#shared/contracts/views.ts";
import { updateRoom } from "#shared/domain/live/rooms/update-room.ts";
import {
  closeRoomFor,
  getRoomDetails,
  listAllRooms,
  readAllRooms,
} from "#shared/domain/operations/moderation/rooms.queries.ts";
import type { ApiDeps } from "../../../deps.ts";
import { type AdminRoute, adminRead, adminWrite } from "../../../http/admin-route.ts";
import { updateRoomBody } from "../../../public/live/rooms/rooms.schemas.ts";
import { adminReason } from "../../identity/users/users.schemas.ts";
import { listRoute } from "../../list-route.ts";

const tag = "Rooms";
const params = object({ id: id(exampleIds.room) });
const closeBody = object({ reason: adminReason().description("Shown to the members.") }).meta({
  name: "CloseRoomBody",
});

/** Voice rooms, with what is live in them. */
export const roomsRoutes = ({ actors }: ApiDeps): AdminRoute[] => [
  listRoute({
    tag,
    id: "listRooms",
    path: "/rooms",
    summary: "List rooms",
    description: "All rooms, private and closed ones included, with how many people are in each now.",
    permission: "rooms.read",
    filters: {
      q: text(1, 60, "night").description("A part of the name."),
      status: oneOf("open", "closed"),
      host_id: id(),
      category: text(1, 60, "music"),
      live: Joi.boolean().valid(true).description("Only rooms with members.").example(true),
    },
    sorts: ["-created_at", "name"],
    item: managedRoom,
    list: (filter, page) => listAllRooms(actors, filter, page),
    download: {
      fileName: "rooms",
      columns: [
        "id",
        "host_id",
        "category",
        "language",
        "is_private",
        "status",
        "member_count",
        "created_at",
        "closed_at",
      ],
      read: (filter) => readAllRooms(actors, filter),
    },
  }),
  adminRead({
    tag,
    id: "getRoom",
    method: "get",
    path: "/rooms/:id",
    summary: "Get a room",
    description: "With its members and seats now.",
    extension: true,
    permission: "rooms.read",
    params,
    response: managedRoomDetails,
    errors: ["ENGINE_UNAVAILABLE"],
    handler: ({ caller, params }) => getRoomDetails(actors, caller, params.id),
  }),
  adminWrite({
    tag,
    id: "updateRoom",
    method: "patch",
    path: "/rooms/:id",
    summary: "Update a room",
    description: "Fields that you omit stay unchanged. Its members see the change at once.",
    extension: true,
    permission: "rooms.write",
    params,
    body: updateRoomBody,
    response: managedRoomDetails,
    errors: ["ENGINE_UNAVAILABLE", "ROOM_CLOSED"],
    audit: { action: "room.update", target: ({ params }) => ({ type: "room", id: params.id }) },
    handler: async ({ caller, params, body }) => {
      await updateRoom(actors, caller, params.id, body);
      return getRoomDetails(actors, caller, params.id);
    },
  }),
  adminWrite({
    tag,
    id: "closeRoom",
    method: "post",
    path: "/rooms/:id/close",
    summary: "Close a room",
    description: "Its members are told the reason and leave; their voice connections end.",
    permission: "rooms.write",
    params,
    body: closeBody,
    response: managedRoomDetails,
    errors: ["ENGINE_UNAVAILABLE", "ROOM_CLOSED"],
    audit: { action: "room.close", target: ({ params }) => ({ type: "room", id: params.id }) },
    handler: ({ caller, params, body }) => closeRoomFor(actors, caller, params.id, body.reason),
  }),
];
