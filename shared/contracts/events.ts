import Joi from "joi";
import { extended } from "#shared/kernel/extended.ts";
import { chatEvents } from "./chat-events.ts";
import { type EventSpec, roomEvent } from "./event-spec.ts";
import { exampleIds, exampleTime } from "./examples.ts";
import {
  coins,
  count,
  flag,
  type Infer,
  id,
  integer,
  listOf,
  nullable,
  object,
  optional,
  text,
  time,
} from "./fields.ts";
import { memberEvents } from "./member-events.ts";
import * as views from "./views.ts";

export const serverEvents = extended("events", {
  ...chatEvents,
  ...memberEvents,
  "room:seats_updated": {
    payload: roomEvent({ seats: listOf(views.seat), version: count(4294967301) }),
    to: "everyone in the room",
    summary: "The seats changed",
    description: "Contains all seats. Changes of `speaking` are sent at most four times a second.",
    origin: "contract",
  },
  "room:seat_requested": {
    payload: object({ room_id: id(exampleIds.room), request: views.seatRequest }),
    to: "the room's host and moderators, and the requester",
    summary: "A seat was requested",
    description: "The request is pending. `room:seat_request_updated` follows when it no longer is.",
    origin: "contract",
  },
  "room:seat_request_updated": {
    payload: object({ room_id: id(exampleIds.room), request: views.seatRequest }),
    to: "the room's host and moderators, and the requester",
    summary: "A seat request was approved, rejected, or cancelled, or has expired",
    origin: "extension",
  },
  "room:closed": {
    payload: roomEvent({ reason: text(0, 200, "Closed by the host") }),
    to: "everyone in the room",
    summary: "The room was closed",
    description: "The last event of the room.",
    origin: "contract",
  },
  "gift:animation": {
    payload: roomEvent({
      gift: views.gift,
      quantity: count(3),
      total_coins: coins(30),
      sender: views.userCard,
      recipient: views.userCard,
      senders: optional(count(1).description("How many users sent the gifts that are shown together.")),
      combo: integer(1, Number.MAX_SAFE_INTEGER, 2).description(
        "How many times in a row the sender has sent this gift to this recipient, with less than 10 s in between.",
      ),
    }),
    to: "everyone in the room",
    summary: "A gift was sent",
    description:
      "In a room with more members than it names, gifts of up to `merged_gift_coins` (100 coins, by default) of the " +
      "same kind to the same recipient are shown together, at most four times a second: `quantity` and `total_coins` " +
      "are their sums, and `sender` is the last one.",
    origin: "contract",
  },
  "dm:new": {
    payload: object({ conversation_id: id(exampleIds.conversation), message: views.directMessage }),
    to: "the members, with the one who did it",
    summary: "A direct message was sent",
    description: "The message is already stored. Delivered at least once: a repeated event has the same message ID.",
    origin: "contract",
  },
  "dm:read": {
    payload: object({
      conversation_id: id(exampleIds.conversation),
      reader_id: id(exampleIds.grace),
      read_at: time(exampleTime(exampleIds.directMessage, 25)),
    }),
    to: "the members, with the one who did it",
    summary: "A conversation was marked as read",
    description:
      "`reader_id` has read all messages that others sent up to `read_at`. Not sent in groups of more than 32 members.",
    origin: "contract",
  },
  "typing:dm": {
    payload: object({ conversation_id: id(exampleIds.conversation), user_id: id(exampleIds.grace), typing: flag() }),
    to: "the other members",
    summary: "A member started or stopped typing",
    description: "The event for the stop may never arrive, so hide the indicator after a few seconds.",
    origin: "contract",
  },
  "game:state": {
    payload: object({ session_id: id(exampleIds.gameSession), state: views.session }),
    to: "the players and the spectators",
    summary: "A game changed",
    description:
      "Each player receives their own view, with `you`. Spectators in the game's room receive the public view.",
    origin: "contract",
  },
  "lobby:updated": {
    payload: object({ lobby: views.lobby }),
    to: "the lobby's players, players removed from it, and everyone in its room",
    summary: "A lobby changed",
    description: "It was created, started, or cancelled, a player joined, left, or changed `ready`, or its game ended.",
    origin: "extension",
  },
  "content:decided": {
    payload: views.contentDecided,
    to: "the author",
    summary: "What you wrote was held, and has been reviewed",
    description: "`content_id` is what others see now. Null: it was rejected, or what it was written to is gone.",
    origin: "extension",
  },
  "media:updated": {
    payload: object({ media: views.media }),
    to: "the user who uploaded it",
    summary: "What you uploaded is ready, or was rejected",
    origin: "extension",
  },
  "notification:new": {
    payload: object({ notification: views.notification, unread_count: count(3) }),
    to: "the user",
    summary: "You have a new or updated notification",
    description:
      "An unread notification is sent again, with the same ID, whenever something is added to it or removed from it.",
    origin: "contract",
  },
  "notification:withdrawn": {
    payload: object({ notification_id: id(exampleIds.notification), unread_count: count(2) }),
    to: "the user",
    summary: "A notification was withdrawn",
    description:
      "Its cause was withdrawn: a like, a follow, a comment, or a friend request. Remove it, and show `unread_count`.",
    origin: "extension",
  },
  "dm:deleted": {
    payload: object({
      conversation_id: id(exampleIds.conversation),
      message_id: id(exampleIds.directMessage),
      by: id(exampleIds.grace),
    }),
    to: "the members, with the one who did it",
    summary: "A direct message was deleted",
    description: "Nothing is left of it but when it was sent.",
    origin: "extension",
  },
  "conversation:updated": {
    payload: object({
      conversation_id: id(exampleIds.conversation),
      pinned_ids: optional(
        listOf(id(exampleIds.directMessage)).description("The pinned messages, the latest pin first."),
      ),
      group: optional(views.groupCard.description("The group, as it is now.")),
      members: optional(listOf(views.memberChange).description("Members who came, went, or have another role.")),
    }),
    to: "the members, and those who were removed",
    summary: "A conversation has changed",
    description: "Only what has changed is there.",
    origin: "extension",
  },
  "presence:update": {
    payload: object({
      user_id: id(exampleIds.grace),
      is_online: flag(),
      last_seen_at: nullable(time(exampleTime(exampleIds.grace, 840))),
      room_id: nullable(id(exampleIds.room)),
    }),
    to: "the user's followers and friends, subject to the user's privacy settings",
    summary: "A user went online or offline, or changed rooms",
    origin: "contract",
  },
  "room:updated": {
    payload: roomEvent({ room: views.roomCard }),
    to: "everyone in the room",
    summary: "The room's details changed",
    description: "The name, category, language, description, privacy, or number of seats changed.",
    origin: "extension",
  },
  "seat:invited": {
    payload: object({ room_id: id(exampleIds.room), seat_no: nullable(integer(1, 100, 2)), by: views.userCard }),
    to: "the invited user",
    summary: "You were invited to a seat",
    description: "Accept with `seat:accept_invite`.",
    origin: "extension",
  },
  "chat:muted": {
    payload: object({
      room_id: id(exampleIds.room),
      muted_until: nullable(time(exampleTime(exampleIds.roomMessage, 360))),
    }),
    to: "the muted user",
    summary: "You were muted or unmuted in the room's chat",
    description: "Your chat messages are rejected until `muted_until`. Null: you can chat again.",
    origin: "extension",
  },
  error: {
    payload: object({
      event: Joi.string()
        .allow("")
        .max(64)
        .example("room:message")
        .description("The event's name as sent, cut after 64 characters."),
      code: Joi.string().example("NOT_A_MEMBER"),
      message: Joi.string()
        .max(500)
        .example("You aren't in this room or lobby.")
        .description("For humans. Handle errors by `code`."),
      doc_url: Joi.string()
        .max(500)
        .example("https://hubbub.example/docs/errors#NOT_A_MEMBER")
        .description("URL of the documentation of the code."),
    }),
    to: "the sender's connection",
    summary: "An event failed",
    description: "Sent only if the event was emitted without an acknowledgement callback.",
    origin: "extension",
  },
} as const satisfies Record<string, EventSpec>);

export type ServerEvent = keyof typeof serverEvents;

/** What each event carries. */
export type EventPayloads = { [E in ServerEvent]: Infer<(typeof serverEvents)[E]["payload"]> };

/** An event and what it carries. */
export type ServerPush = { [E in ServerEvent]: { readonly event: E; readonly payload: EventPayloads[E] } }[ServerEvent];

/** An event of a room before the room's actor numbers it. */
export type RoomPush = {
  [E in ServerEvent]: "seq" extends keyof EventPayloads[E]
    ? { readonly event: E; readonly payload: Omit<EventPayloads[E], "seq" | "conversation_id"> & { room_id: string } }
    : never;
}[ServerEvent];
