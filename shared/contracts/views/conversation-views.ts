import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  limits,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { messageExtras, messageKinds } from "./message-views.ts";
import { userCard } from "./user-views.ts";

/** Views of conversations between two people. */

export const directMessage = object({
  id: id(exampleIds.directMessage),
  conversation_id: id(exampleIds.conversation),
  sender_id: id(),
  body: text(0, limits.messageLength, "Are you coming tonight?"),
  kind: optional(oneOf(...messageKinds).description("Absent in a message of text.")),
  ...messageExtras,
  deleted: optional(flag(true).description("The sender has deleted it: nothing is left but when it was sent.")),
  attachment_url: nullable(url()),
  read_at: nullable(time(exampleTime(exampleIds.directMessage, 25))).description(
    "When the recipient marked the message as read. Null: unread.",
  ),
  created_at: time(exampleTime(exampleIds.directMessage)),
  client_id: optional(Joi.string().max(64).example("c-17")),
}).meta({ name: "DirectMessage" });
export type DirectMessage = Infer<typeof directMessage>;

export const conversation = object({
  id: id(exampleIds.conversation),
  peer: userCard,
  last_message: nullable(directMessage),
  unread: count(2).description("Number of messages from the peer that you haven't marked as read."),
  updated_at: time(exampleTime(exampleIds.directMessage)).description(
    "When the last message was sent or, if there is none, when the conversation was created.",
  ),
}).meta({ name: "Conversation" });
export type Conversation = Infer<typeof conversation>;
