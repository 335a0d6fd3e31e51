import Joi from "joi";
import {
  cursorPageOf,
  cursorQuery,
  id,
  input,
  limits,
  line,
  pageOf,
  pageQuery,
  text,
  url,
} from "#shared/contracts/fields.ts";
import { directMessage } from "#shared/contracts/views.ts";
import type { MessageInput } from "#shared/domain/conversations/send-message.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface ConversationParams {
  id: string;
}
export const conversationParams = input<ConversationParams>({ id: id().required() });

export const inboxQuery = input<PageQuery>(pageQuery);

export interface OpenConversationBody {
  peer_id: string;
}
export const openConversationBody = input<OpenConversationBody>({
  peer_id: id().required().description("With whom; not yourself."),
});

export interface MessagesQuery {
  before?: string;
  page?: number;
  limit?: number;
}
export const messagesQuery = input<MessagesQuery>({
  before: cursorQuery.before,
  page: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .description("Sent: the answer is this page, whatever `before` says. Absent: the answer is a cursor list.")
    .example(1),
  limit: Joi.number().integer().min(1).max(100).description("By default 20 with `page`, else 50.").example(20),
});

export const messagesAnswer = Joi.alternatives(cursorPageOf(directMessage), pageOf(directMessage)).description(
  "A cursor list, or a page when `page` was sent.",
);

export const sendMessageBody = input<MessageInput>({
  body: text(0, limits.messageLength, "Are you coming tonight?")
    .required()
    .description(
      "Empty only beside an attachment. Trimmed and normalised to NFC; NUL and lone surrogates are refused.",
    ),
  attachment_url: url("https://cdn.example.com/photo.jpg"),
  client_id: line(1, 64, "c-17").description("Repeated in the answer; the same id sent twice is one message."),
});
