import { type EventSpec, messageEvent, roomEvent } from "./event-spec.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import { count, flag, id, limits, listOf, object, text, time } from "./fields.ts";
import * as views from "./views.ts";

/** What happens to the messages of a room. */
export const chatEvents = {
  "room:new_message": {
    payload: roomEvent({ message: views.roomMessage }),
    to: "everyone in the room, including the sender",
    summary: "A chat message was sent",
    description: "The message is already stored.",
    origin: "contract",
  },
  "message:updated": {
    payload: messageEvent({
      body: text(1, limits.messageLength, "Good evening, all!"),
      edited_at: time(exampleTime(exampleIds.roomMessage, 30)),
      by: id(exampleIds.ada),
    }),
    to: "everyone in the room, or both users of the conversation",
    summary: "A message was edited",
    origin: "extension",
  },
  "message:reacted": {
    payload: messageEvent({ reactions: listOf(views.reactionCount) }),
    to: "everyone in the room, or both users of the conversation",
    summary: "The reactions to a message have changed",
    description: "Has all reactions to the message. Sent at most four times a second for each message.",
    origin: "extension",
  },
  "room:pinned": {
    payload: roomEvent({
      message_id: id(exampleIds.roomMessage),
      pinned: flag(true),
      by: id(exampleIds.ada),
    }),
    to: "everyone in the room",
    summary: "A chat message was pinned or unpinned",
    description: "A deleted message is no longer pinned, without this event.",
    origin: "extension",
  },
  "room:message_deleted": {
    payload: roomEvent({ message_id: id(exampleIds.roomMessage), by: id() }),
    to: "everyone in the room",
    summary: "A chat message was deleted",
    origin: "extension",
  },
  "room:hearts": {
    payload: object({ room_id: id(exampleIds.room), count: count(12) }),
    to: "everyone in the room",
    summary: "Hearts were sent in the room",
    description: "How many, in the last quarter of a second. Not repeated by `room:sync`.",
    origin: "extension",
  },
} as const satisfies Record<string, EventSpec>;
