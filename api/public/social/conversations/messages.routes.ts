import { empty, listOf } from "#shared/contracts/fields.ts";
import { directMessage } from "#shared/contracts/views.ts";
import { deleteMessage, editMessage, reactTo, setPinned } from "#shared/domain/social/conversations/change-message.ts";
import { listPinned } from "#shared/domain/social/conversations/messages.queries.ts";
import { type Route, routeOf } from "../../../http/route.ts";
import * as schemas from "./conversations.schemas.ts";

const route = routeOf("Conversations", "user");
const placeOf = ({ id, messageId }: { readonly id: string; readonly messageId: string }) => ({
  conversationId: id,
  messageId,
});

/** What members do to the messages of their conversation. */
export const messageRoutes = (): Route[] => [
  route({
    id: "editDirectMessage",
    method: "patch",
    path: "/conversations/:id/messages/:messageId",
    blocks: "shared",
    extension: true,
    summary: "Edit a direct message",
    description: "Allowed for its sender, for 15 minutes. What it said before is kept for reports.",
    params: schemas.messageParams,
    body: schemas.editMessageBody,
    response: directMessage,
    errors: ["FORBIDDEN", "CONFLICT", "CONTENT_BLOCKED"],
    handler: ({ caller, params, body }) => editMessage(caller, placeOf(params), body.body),
  }),
  route({
    id: "deleteDirectMessage",
    method: "delete",
    path: "/conversations/:id/messages/:messageId",
    blocks: "shared",
    extension: true,
    summary: "Delete a direct message",
    description:
      "Allowed for its sender, and for the owner and admins of a group. Nothing is left of it, for all, but when it was sent: `deleted` is true.",
    params: schemas.messageParams,
    response: empty,
    errors: ["FORBIDDEN"],
    handler: ({ caller, params }) => deleteMessage(caller, placeOf(params)),
  }),
  ...[true, false].map((isOn) =>
    route({
      id: isOn ? "addDirectReaction" : "removeDirectReaction",
      method: isOn ? "put" : "delete",
      path: "/conversations/:id/messages/:messageId/reactions/:emoji",
      blocks: "shared",
      extension: true,
      summary: isOn ? "React to a direct message" : "Take back a reaction",
      description: "With one of the setting `reactions`. All members get `message:reacted`.",
      params: schemas.reactionParams,
      response: schemas.reactionSums,
      rateLimit: { points: 120, seconds: 60, by: "user" },
      handler: ({ caller, params }) => reactTo(caller, placeOf(params), { emoji: params.emoji, isOn }),
    }),
  ),
  route({
    id: "listPinnedMessages",
    method: "get",
    path: "/conversations/:id/pins",
    blocks: "shared",
    extension: true,
    summary: "List pinned direct messages",
    description: "The latest pin first.",
    params: schemas.conversationParams,
    response: listOf(directMessage),
    handler: ({ caller, params }) => listPinned(caller, params.id),
  }),
  ...[true, false].map((pinned) =>
    route({
      id: pinned ? "pinDirectMessage" : "unpinDirectMessage",
      method: pinned ? "put" : "delete",
      path: "/conversations/:id/pins/:messageId",
      blocks: "shared",
      extension: true,
      summary: pinned ? "Pin a direct message" : "Unpin a direct message",
      description:
        "Up to three in a conversation; in a group, its owner and admins pin. All members get `conversation:updated`.",
      params: schemas.messageParams,
      response: empty,
      errors: pinned ? ["FORBIDDEN", "CONFLICT"] : ["FORBIDDEN"],
      handler: ({ caller, params }) => setPinned(caller, placeOf(params), pinned),
    }),
  ),
];
