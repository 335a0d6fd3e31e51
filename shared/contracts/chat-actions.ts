import type { ActionSpec } from "./action-spec.ts";
import { exampleIds } from "./examples.ts";
import { id, integer, limits, line, listOf, object, oneOf, optional, rareId, text, withDefault } from "./fields.ts";
import * as views from "./views.ts";

const roomId = id(exampleIds.room);
const message = { room_id: roomId, message_id: id(exampleIds.roomMessage) };
const reacted = object({ reactions: listOf(views.reactionCount) }).meta({ name: "Reacted" });
const empty = object({}).meta({ name: "Empty" });
const runErrors = ["NOT_A_MEMBER", "FORBIDDEN"] as const;

/** What people say in a voice room, and what becomes of it. */
export const chatActions = {
  "room:message": {
    payload: object({
      room_id: roomId,
      body: withDefault(
        text(0, limits.messageLength, "Good evening!").description("Required, unless there is a `media_id`."),
        "",
      ),
      kind: optional(
        oneOf("text", "image", "voice", "sticker").description(
          "What you send; if it isn't that, the message is rejected. Required for a sticker.",
        ),
      ),
      media_id: optional(rareId().description("An upload of yours with the purpose `room_message`, or a sticker.")),
      reply_to: optional(rareId().description("The message of this room that you answer.")),
      mentions: optional(
        listOf(rareId())
          .max(10)
          .unique()
          .description("Users whom you mention: they are notified. Who isn't in the room, and doesn't run it, isn't."),
      ),
      client_id: optional(
        line(1, 64, "c-17").description(
          "Makes retries safe, for at least a month: a message with the same `client_id` is stored once. Returned with the message.",
        ),
      ),
    }),
    reply: views.roomMessage,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER", "FORBIDDEN", "CONFLICT", "CONTENT_BLOCKED"],
    by: "members of the room",
    summary: "Send a chat message",
    description:
      "The message is stored before it is acknowledged. In slow mode, the error is RATE_LIMITED until members may write again.",
    origin: "contract",
  },
  "room:heart": {
    payload: object({ room_id: roomId }),
    reply: empty,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER"],
    by: "members of the room",
    summary: "Send a heart",
    description: "The room gets the number of hearts of each quarter of a second: `room:hearts`. None is stored.",
    origin: "extension",
  },
  "room:mute_chat": {
    payload: object({ room_id: roomId, user_id: id(exampleIds.grace), minutes: integer(0, 10_080, 5) }),
    reply: empty,
    blocks: "unaffected",
    errors: runErrors,
    by: "the host and moderators",
    summary: "Mute a user's chat",
    description: "The user can't send messages for `minutes` minutes. 0 lifts the mute.",
    origin: "extension",
  },
  "message:edit": {
    payload: object({ ...message, body: text(1, limits.messageLength, "Good evening, all!") }),
    reply: views.roomMessage,
    blocks: "unaffected",
    errors: [...runErrors, "CONFLICT", "CONTENT_BLOCKED"],
    by: "the message's author, for 15 minutes",
    summary: "Edit a chat message",
    description: "What it said before is kept for reports.",
    origin: "extension",
  },
  "message:react": {
    payload: object({ ...message, emoji: views.emoji() }),
    reply: reacted,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER"],
    by: "members of the room",
    summary: "React to a chat message",
    description: "With one of the setting `reactions`. The room gets the sums of each quarter of a second.",
    origin: "extension",
  },
  "message:unreact": {
    payload: object({ ...message, emoji: views.emoji() }),
    reply: reacted,
    blocks: "unaffected",
    errors: ["NOT_A_MEMBER"],
    by: "members of the room",
    summary: "Take back a reaction",
    origin: "extension",
  },
  "message:pin": {
    payload: object(message),
    reply: empty,
    blocks: "unaffected",
    errors: [...runErrors, "CONFLICT"],
    by: "the host and moderators",
    summary: "Pin a chat message",
    description: "Up to three in a room.",
    origin: "extension",
  },
  "message:unpin": {
    payload: object(message),
    reply: empty,
    blocks: "unaffected",
    errors: runErrors,
    by: "the host and moderators",
    summary: "Unpin a chat message",
    origin: "extension",
  },
  "message:delete": {
    payload: object({ room_id: roomId, message_id: id(exampleIds.roomMessage) }),
    reply: empty,
    blocks: "unaffected",
    errors: runErrors,
    by: "the message's author, the host, and moderators",
    summary: "Delete a chat message",
    origin: "extension",
  },
} as const satisfies Record<string, ActionSpec>;
