import { pageOf } from "#shared/contracts/fields.ts";
import { conversation, directMessage } from "#shared/contracts/views.ts";
import { listConversations } from "#shared/domain/social/conversations/conversations.queries.ts";
import { markRead } from "#shared/domain/social/conversations/mark-read.ts";
import { readMessages } from "#shared/domain/social/conversations/messages.queries.ts";
import { openConversation } from "#shared/domain/social/conversations/open-conversation.ts";
import { sendMessage } from "#shared/domain/social/conversations/send-message.ts";
import { createGroup } from "#shared/domain/social/groups/create-group.ts";
import { AlreadyExists, type Route, routeOf } from "../../../http/route.ts";
import { groupsRoutes } from "../groups/groups.routes.ts";
import * as schemas from "./conversations.schemas.ts";
import { messageRoutes } from "./messages.routes.ts";

const route = routeOf("Conversations", "user");

export const conversationsRoutes = (): Route[] => [
  ...messageRoutes(),
  ...groupsRoutes(),
  route({
    id: "listConversations",
    method: "get",
    path: "/conversations",
    summary: "List your conversations",
    description:
      "Each has the peer or the group, the last message, and your unread count. Sorted by last message, newest first. A conversation that another user opened is listed from its first message on. Conversations with users who have blocked you, or whom you have blocked, are left out.",
    query: schemas.inboxQuery,
    response: pageOf(conversation),
    handler: ({ caller, query }) => listConversations(caller.userId, query),
  }),
  route({
    id: "openConversation",
    method: "post",
    path: "/conversations",
    blocks: "person",
    summary: "Open a conversation",
    description:
      "With `kind` `group`, creates a group of up to 256 members, whose owner you are. Otherwise creates a conversation with a user, or returns the existing one with status 200. For a new one, the user's `allow_dm` setting must let you write to them: otherwise the error is `FORBIDDEN`. Minors may accept messages only from friends. The number of conversations that you can open in 24 hours is also limited: beyond it, the error is `RATE_LIMITED`.",
    rateLimit: { points: 60, seconds: 60, by: "user" },
    body: schemas.openConversationBody,
    response: conversation,
    status: 201,
    mayExist: true,
    idempotent: true,
    errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "CONTENT_BLOCKED"],
    handler: async ({ caller, body, idempotency }) => {
      const group = schemas.newGroupOf(body);
      if (group) return createGroup(caller, group, idempotency);
      const opened = await openConversation(caller, body.peer_id!);
      return opened.created ? opened.conversation : new AlreadyExists(opened.conversation);
    },
  }),
  route({
    id: "listDirectMessages",
    method: "get",
    path: "/conversations/:id/messages",
    blocks: "shared",
    summary: "List direct messages",
    description:
      "Newest first. Allowed for the members of the conversation. For other users, the error is `NOT_FOUND`.",
    params: schemas.conversationParams,
    query: schemas.messagesQuery,
    response: schemas.messageList,
    handler: ({ caller, params, query }) => readMessages(caller, params.id, query),
  }),
  route({
    id: "sendDirectMessage",
    method: "post",
    path: "/conversations/:id/messages",
    blocks: "shared",
    summary: "Send a direct message",
    description:
      "The message is stored before you get the response. All connections of all members receive `dm:new`. If you repeat a `client_id`, the response is the first message with status 200. The error is `FORBIDDEN` if the peer's `allow_dm` setting doesn't let you write to them, even in an existing conversation, and `NOT_FOUND` if their account is no longer active.",
    rateLimit: { points: 120, seconds: 60, by: "user" },
    params: schemas.conversationParams,
    body: schemas.sendMessageBody,
    response: directMessage,
    status: 201,
    mayExist: true,
    errors: ["FORBIDDEN", "CONFLICT", "CONTENT_BLOCKED"],
    handler: async ({ caller, params, body }) => {
      const sent = await sendMessage(caller, params.id, body);
      return sent.created ? sent.message : new AlreadyExists(sent.message);
    },
  }),
  route({
    id: "markConversationRead",
    method: "post",
    path: "/conversations/:id/read",
    blocks: "shared",
    summary: "Mark a conversation read",
    description:
      "Marks all messages from others as read. If any were unread, all connections of all members receive `dm:read`, but in groups of more than 32.",
    params: schemas.conversationParams,
    response: conversation,
    handler: ({ caller, params }) => markRead(caller, params.id),
  }),
];
