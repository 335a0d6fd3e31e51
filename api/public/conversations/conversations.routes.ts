import { pageOf } from "#shared/contracts/fields.ts";
import { conversation, directMessage } from "#shared/contracts/views.ts";
import { listConversations } from "#shared/domain/conversations/conversations.queries.ts";
import { markRead } from "#shared/domain/conversations/mark-read.ts";
import type { PageQuery } from "#shared/kernel/page.ts";
import { type Route, route } from "../../http/route.ts";
import { getMessages, postConversation, postMessage } from "./conversations.handlers.ts";
import {
  type ConversationParams,
  conversationParams,
  inboxQuery,
  type MessagesQuery,
  messagesAnswer,
  messagesQuery,
  openConversationBody,
  sendMessageBody,
} from "./conversations.schemas.ts";

const tag = "Conversations";

export const conversationsRoutes = (): Route[] => [
  route<object, PageQuery>({
    method: "get",
    path: "/conversations",
    tag,
    summary: "Your inbox: peer, last message and unread count of each conversation",
    description:
      "The conversation with the newest message comes first. One that somebody else began appears with its first message. Conversations with people whom you have blocked, or who have blocked you, are left out.",
    auth: "user",
    query: inboxQuery,
    response: pageOf(conversation),
    handler: ({ caller, query }) => listConversations(caller.userId, query),
  }),
  route({
    method: "post",
    path: "/conversations",
    tag,
    summary: "Begin a conversation with somebody, or fetch the one that there is",
    description:
      "There is one conversation for each two people. A new one needs a peer whose `allow_dm` lets you write (FORBIDDEN otherwise); one that is there is answered all the same. NOT_FOUND when there is no such person or a block stands between you; BLOCKED when it does and you have conversed. RATE_LIMITED also when you have begun as many conversations in 24 hours as one may.",
    auth: "user",
    rateLimit: { points: 60, seconds: 60, by: "user" },
    body: openConversationBody,
    response: conversation,
    status: 201,
    mayExist: true,
    errors: ["NOT_FOUND", "FORBIDDEN", "BLOCKED"],
    handler: postConversation,
  }),
  route<ConversationParams, MessagesQuery>({
    method: "get",
    path: "/conversations/:id/messages",
    tag,
    summary: "Messages of a conversation, newest first",
    description: "For its two members; to anybody else it is NOT_FOUND.",
    auth: "user",
    params: conversationParams,
    query: messagesQuery,
    response: messagesAnswer,
    errors: ["BLOCKED"],
    handler: getMessages,
  }),
  route({
    method: "post",
    path: "/conversations/:id/messages",
    tag,
    summary: "Send a message",
    description:
      "Answered means durable. Every connection of both gets `dm:new`. Sent again with its `client_id` it is answered with 200, and nothing happens. FORBIDDEN when the peer's `allow_dm` does not let you write, also in a conversation that is there; NOT_FOUND also when his account is no longer active.",
    auth: "user",
    rateLimit: { points: 120, seconds: 60, by: "user" },
    params: conversationParams,
    body: sendMessageBody,
    response: directMessage,
    status: 201,
    mayExist: true,
    errors: ["FORBIDDEN", "BLOCKED"],
    handler: postMessage,
  }),
  route<ConversationParams>({
    method: "post",
    path: "/conversations/:id/read",
    tag,
    summary: "Mark read whatever the peer has written until now",
    description: "If there was anything unread, every connection of both gets `dm:read`.",
    auth: "user",
    params: conversationParams,
    response: conversation,
    errors: ["BLOCKED"],
    handler: ({ caller, params }) => markRead(caller, params.id),
  }),
];
