import type { Conversation, DirectMessage } from "#shared/contracts/views.ts";
import { accessConversation } from "#shared/domain/conversations/conversations.policy.ts";
import { listMessages, pageMessages } from "#shared/domain/conversations/messages.queries.ts";
import { openConversation } from "#shared/domain/conversations/open-conversation.ts";
import { type MessageInput, sendMessage } from "#shared/domain/conversations/send-message.ts";
import type { CursorPage, Page } from "#shared/kernel/page.ts";
import { AlreadyThere, type Call } from "../../http/route.ts";
import type { ConversationParams, MessagesQuery, OpenConversationBody } from "./conversations.schemas.ts";

export async function postConversation({
  caller,
  body,
}: Call<object, object, OpenConversationBody>): Promise<Conversation | AlreadyThere<Conversation>> {
  const { conversation, made } = await openConversation(caller, body.peer_id);
  return made ? conversation : new AlreadyThere(conversation);
}

export async function getMessages({
  caller,
  params,
  query,
}: Call<ConversationParams, MessagesQuery>): Promise<CursorPage<DirectMessage> | Page<DirectMessage>> {
  const access = await accessConversation(caller.userId, params.id);
  const { page, limit, before } = query;
  if (page !== undefined) return pageMessages(access, { page, limit: limit ?? 20 });
  return listMessages(access, { limit: limit ?? 50, ...(before !== undefined && { before }) });
}

export async function postMessage({
  caller,
  params,
  body,
}: Call<ConversationParams, object, MessageInput>): Promise<DirectMessage | AlreadyThere<DirectMessage>> {
  const { message, made } = await sendMessage(caller, params.id, body);
  return made ? message : new AlreadyThere(message);
}
