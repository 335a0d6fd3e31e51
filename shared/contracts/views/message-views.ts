import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  limits,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { mediaCard } from "./media-views.ts";

/** What messages of rooms and of conversations have in common. */

export const messageKinds = ["text", "image", "voice", "file", "sticker", "system"] as const;
export type MessageKind = (typeof messageKinds)[number];

/** A reaction: one emoji of the setting `reactions`. */
export const emoji = (example = "❤️") => Joi.string().max(16).example(example);

export const reactionCount = object({ emoji: emoji(), count: count(3) }).meta({ name: "ReactionCount" });
export type ReactionCount = Infer<typeof reactionCount>;

const reaction = object({ emoji: emoji(), count: count(3), mine: flag(true) }).meta({ name: "Reaction" });
export type Reaction = Infer<typeof reaction>;

/** The message that another one answers. */
export const quote = object({
  id: id(exampleIds.roomMessage),
  user_id: nullable(id(exampleIds.grace)).description("Null if the message was deleted since."),
  full_name: nullable(text(0, 80, "Grace Hopper")),
  kind: nullable(oneOf(...messageKinds)),
  body: nullable(text(0, limits.messageLength, "Who sings next?")).description("At most 200 characters."),
}).meta({ name: "Quote" });
export type Quote = Infer<typeof quote>;

/** Members of messages that are absent where there is nothing to say. */
export const messageExtras = {
  media: optional(mediaCard),
  reply_to: optional(quote),
  edited_at: optional(time(exampleTime(exampleIds.roomMessage, 30))),
  reactions: optional(listOf(reaction).description("Most frequent first.")),
};
