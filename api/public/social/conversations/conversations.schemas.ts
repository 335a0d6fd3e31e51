import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  cursorPageOf,
  cursorQuery,
  extend,
  type Infer,
  id,
  limits,
  line,
  listOf,
  object,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  rareId,
  text,
  union,
  url,
} from "#shared/contracts/fields.ts";
import { directMessage, emoji, reactionCount } from "#shared/contracts/views.ts";

import type { NewGroup } from "#shared/domain/social/groups/create-group.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { groupName, picture, userIds } from "../groups/groups.schemas.ts";

const required = "{{field}} is required";
const refused = "{{field}} is not allowed";

export const conversationParams = object({ id: id(exampleIds.conversation) });

export const messageParams = object({ id: id(exampleIds.conversation), messageId: id(exampleIds.directMessage) });
export const reactionParams = extend(messageParams, { emoji: emoji() });

export const editMessageBody = object({
  body: text(1, limits.messageLength, "Are you coming tomorrow?"),
}).meta({ name: "EditMessageBody" });

export const reactionSums = object({ reactions: listOf(reactionCount) }).meta({ name: "Reacted" });

export const inboxQuery = object({
  ...pageQuery,
  kind: optional(oneOf("direct", "group").description("Only these.")),
});

export const openConversationBody = object({
  kind: optional(oneOf("direct", "group").description("The default is `direct`.")),
  peer_id: optional(id(exampleIds.grace).description("The other user. Required unless you create a group.")),
  name: optional(groupName().description("Required for a group.")),
  user_ids: optional(userIds().description("Required for a group: the others, to whom you could write.")),
  picture_media_id: optional(picture()),
})
  .example({ peer_id: exampleIds.grace })
  .meta({ name: "OpenConversationBody" });

/** Returns the group that is asked for; undefined for a conversation of two. @throws VALIDATION_ERROR */
export function newGroupOf(body: Infer<typeof openConversationBody>): NewGroup | undefined {
  const { kind = "direct", peer_id, name, user_ids, ...more } = body;
  const needed = kind === "group" ? { name, user_ids } : { peer_id };
  const unused = kind === "group" ? { peer_id } : { name, user_ids, ...more };
  const failures = [
    ...Object.entries(needed).flatMap(([field, value]) => (value === undefined ? [{ field, text: required }] : [])),
    ...Object.entries(unused).flatMap(([field, value]) => (value === undefined ? [] : [{ field, text: refused }])),
  ];
  if (failures.length > 0) throw invalidFields(failures);
  return name !== undefined && user_ids ? { name, user_ids, ...more } : undefined;
}

export const messagesQuery = object({
  before: optional(cursorQuery.before),
  page: optional(
    Joi.number()
      .integer()
      .min(1)
      .max(1_000_000)
      .description("Selects a list by page and overrides `before`. Omit for a cursor list.")
      .example(1),
  ),
  limit: optional(
    Joi.number().integer().min(1).max(100).description("The default is 20 with `page` and 50 otherwise.").example(20),
  ),
});

export const messageList = union(cursorPageOf(directMessage), pageOf(directMessage))
  .description("A page if you sent `page`, otherwise a cursor list.")
  .meta({ name: "DirectMessageList" });

export const sendMessageBody = object({
  body: text(0, limits.messageLength, "Are you coming tonight?").description(
    "May be empty if there is an attachment. Trimmed and normalized to NFC. NUL and lone surrogates are rejected.",
  ),
  attachment_url: optional(
    url("https://cdn.example.com/photo.jpg").description(
      "Addresses outside of this service need the setting `foreign_addresses_allowed`.",
    ),
  ),
  kind: optional(
    oneOf("text", "image", "voice", "file", "sticker").description(
      "What you send; if it isn't that, the message is rejected. Required for a sticker.",
    ),
  ),
  media_id: optional(
    rareId().description(
      "An upload of yours with the purpose `conversation`, instead of `attachment_url`; or a sticker.",
    ),
  ),
  reply_to: optional(rareId().description("The message of this conversation that you answer.")),
  mentions: optional(
    Joi.array<string[]>()
      .items(rareId())
      .max(20)
      .description("Users whom it mentions: their phones get a push even if they have muted the group."),
  ),
  client_id: optional(
    line(1, 64, "c-17").description(
      "Makes retries safe, for at least a month: a message with the same `client_id` is stored once. Returned with the message.",
    ),
  ),
}).meta({ name: "SendMessageBody" });
