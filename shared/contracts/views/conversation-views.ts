import Joi from "joi";
import { count, id, limits, nullable, text, time, url, view } from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Views of conversations between two people. */

export interface DirectMessage {
  id: string;
  conversation_id: string;
  sender_id: string;
  body: string;
  attachment_url: string | null;
  /** When the other one marked it read. */
  read_at: string | null;
  created_at: string;
  /** Only in the answer and the push of a message sent with one. */
  client_id?: string;
}

export const directMessage = view<DirectMessage>({
  id: id(),
  conversation_id: id(),
  sender_id: id(),
  body: text(0, limits.messageLength, "Are you coming tonight?"),
  attachment_url: nullable(url()),
  read_at: nullable(time()).description("When the other one marked it read; null: not yet."),
  created_at: time(),
  client_id: Joi.string().max(64).optional().example("c-17"),
}).meta({ name: "DirectMessage" });

export interface Conversation {
  id: string;
  peer: UserCard;
  /** Null: nobody has written yet. */
  last_message: DirectMessage | null;
  /** Messages of the peer that the viewer has not marked read. */
  unread: number;
  updated_at: string;
}

export const conversation = view<Conversation>({
  id: id(),
  peer: userCard,
  last_message: nullable(directMessage),
  unread: count(2).description("Messages of the peer that you have not marked read."),
  updated_at: time().description("When the last message was sent; before the first one, when the conversation began."),
}).meta({ name: "Conversation" });
