import Joi from "joi";
import {
  cursorPageOf,
  cursorQuery,
  type Infer,
  id,
  limits,
  line,
  object,
  optional,
  pageOf,
  pageQuery,
  text,
  url,
} from "#shared/contracts/fields.ts";
import { directMessage } from "#shared/contracts/views.ts";

export const conversationParams = object({ id: id() });
export type ConversationParams = Infer<typeof conversationParams>;

export const inboxQuery = object(pageQuery);

export const openConversationBody = object({
  peer_id: id().description("With whom; not yourself."),
});
export type OpenConversationBody = Infer<typeof openConversationBody>;

export const messagesQuery = object({
  before: optional(cursorQuery.before),
  page: optional(
    Joi.number()
      .integer()
      .min(1)
      .max(1_000_000)
      .description("Sent: the answer is this page, whatever `before` says. Absent: the answer is a cursor list.")
      .example(1),
  ),
  limit: optional(
    Joi.number().integer().min(1).max(100).description("By default 20 with `page`, else 50.").example(20),
  ),
});
export type MessagesQuery = Infer<typeof messagesQuery>;

export const messagesAnswer = Joi.alternatives(cursorPageOf(directMessage), pageOf(directMessage)).description(
  "A cursor list, or a page when `page` was sent.",
);

export const sendMessageBody = object({
  body: text(0, limits.messageLength, "Are you coming tonight?").description(
    "Empty only beside an attachment. Trimmed and normalised to NFC; NUL and lone surrogates are refused.",
  ),
  attachment_url: optional(url("https://cdn.example.com/photo.jpg")),
  client_id: optional(
    line(1, 64, "c-17").description("Repeated in the answer; the same id sent twice is one message."),
  ),
});
