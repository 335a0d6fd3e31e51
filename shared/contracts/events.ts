import Joi from "joi";
import {
  coins,
  count,
  extend,
  type Fields,
  flag,
  type Infer,
  id,
  integer,
  limits,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "./fields.ts";
import * as views from "./views.ts";

/** Server events, and what they carry. The bridge sends nothing that is not named here. */
export interface EventSpec {
  readonly payload: Joi.ObjectSchema;
  readonly to: string;
  readonly summary: string;
  readonly origin: "contract" | "extension";
}

const seq = count(4294967301).description("Number of the event in its room.");
/** An event of a room: numbered, and seen by the whole room. */
const roomEvent = <F extends Fields>(fields: F) => extend(object({ room_id: id(), seq }), fields);

export const leaveReasons = ["left", "disconnected", "kicked", "closed", "moved"] as const;
export type LeaveReason = (typeof leaveReasons)[number];

export const serverEvents = {
  "room:participant_joined": {
    payload: roomEvent({ member: views.member, member_count: count(1) }),
    to: "the room",
    summary: "Somebody came in.",
    origin: "contract",
  },
  "room:participant_left": {
    payload: roomEvent({ user_id: id(), reason: oneOf(...leaveReasons), member_count: count(1) }),
    to: "the room",
    summary: "Somebody is no longer a member.",
    origin: "contract",
  },
  "room:new_message": {
    payload: roomEvent({ message: views.roomMessage }),
    to: "the room, the sender too",
    summary: "A chat message; it is stored.",
    origin: "contract",
  },
  "room:seats_updated": {
    payload: roomEvent({ seats: listOf(views.seat), version: count(4294967301) }),
    to: "the room",
    summary: "All seats as they are now. Speaking changes come at most four times a second.",
    origin: "contract",
  },
  "room:seat_requested": {
    payload: object({ room_id: id(), request: views.seatRequest }),
    to: "host and moderators of the room, the requester too",
    summary: "Somebody asks for a seat, or a request has changed.",
    origin: "contract",
  },
  "room:closed": {
    payload: roomEvent({ reason: text(0, 200, "closed by the host") }),
    to: "the room",
    summary: "The room is closed.",
    origin: "contract",
  },
  "room:kicked": {
    payload: object({ room_id: id(), reason: text(0, 200, "Shouting"), banned_until: nullable(time()) }),
    to: "the kicked user's connections",
    summary: "You were put out of the room.",
    origin: "contract",
  },
  "gift:animation": {
    payload: roomEvent({
      gift: views.gift,
      quantity: integer(1, limits.giftQuantityMax, 3),
      total_coins: coins(30),
      sender: views.userCard,
      recipient: views.userCard,
      combo: integer(1, Number.MAX_SAFE_INTEGER, 2).description(
        "How many times in a row, without a pause of 10 s, this sender gave this gift to this recipient.",
      ),
    }),
    to: "the room",
    summary: "A gift was given.",
    origin: "contract",
  },
  "dm:new": {
    payload: object({ conversation_id: id(), message: views.directMessage }),
    to: "both users' connections",
    summary: "A message between two people; it is stored. One that comes twice has the same id.",
    origin: "contract",
  },
  "dm:read": {
    payload: object({ conversation_id: id(), reader_id: id(), read_at: time() }),
    to: "both users' connections",
    summary: "Somebody has marked read what the other one wrote until then.",
    origin: "contract",
  },
  "typing:dm": {
    payload: object({ conversation_id: id(), user_id: id(), typing: flag() }),
    to: "the peer's connections",
    summary: "Somebody types, or no longer. Ends by itself: show it for some seconds.",
    origin: "contract",
  },
  "game:state": {
    payload: object({ session_id: id(), state: views.session }),
    to: "each player, as he may see it; spectators in the game's room see the public view",
    summary: "A game has changed.",
    origin: "contract",
  },
  "lobby:updated": {
    payload: object({ lobby: views.lobby }),
    to: "whoever is in the lobby or is put out of it, and whoever is in its room",
    summary: "A lobby was opened, filled, emptied, started, cancelled, or its game has ended.",
    origin: "extension",
  },
  "notification:new": {
    payload: object({ notification: views.notification, unread_count: count(3) }),
    to: "the user's connections",
    summary: "Something happened that concerns you. One that you have unread comes again when more is added to it.",
    origin: "contract",
  },
  "presence:update": {
    payload: object({ user_id: id(), is_online: flag(), last_seen_at: nullable(time()), room_id: nullable(id()) }),
    to: "followers and friends, as the user's privacy settings allow",
    summary: "Somebody came online, went offline, or went to another room.",
    origin: "contract",
  },
  "room:updated": {
    payload: roomEvent({ room: views.roomCard }),
    to: "the room",
    summary: "Name, category, language, description, privacy or number of seats changed.",
    origin: "extension",
  },
  "room:role_changed": {
    payload: roomEvent({ member: views.member }),
    to: "the room",
    summary: "Somebody became a moderator, or a member again.",
    origin: "extension",
  },
  "room:member_updated": {
    payload: roomEvent({ member: views.member }),
    to: "the room",
    summary: "A member looks otherwise: his name or picture, VIP, a frame, or whether he is connected to the room.",
    origin: "extension",
  },
  "room:message_deleted": {
    payload: roomEvent({ message_id: id(), by: id() }),
    to: "the room",
    summary: "A chat message was deleted.",
    origin: "extension",
  },
  "seat:invited": {
    payload: object({ room_id: id(), seat_no: nullable(integer(1, 100, 2)), by: views.userCard }),
    to: "the invited user's connections",
    summary: "You are invited to a seat; answer with `seat:accept_invite`.",
    origin: "extension",
  },
  "chat:muted": {
    payload: object({ room_id: id(), muted_until: nullable(time()) }),
    to: "the muted user's connections",
    summary: "Your chat in this room is refused until then; null: no longer.",
    origin: "extension",
  },
  error: {
    payload: object({
      event: Joi.string()
        .allow("")
        .max(64)
        .example("room:message")
        .description("As it was sent; the first 64 characters."),
      code: Joi.string().example("NOT_A_MEMBER"),
      message: Joi.string().max(500).example("You are not in this room.").description("For people; decide by `code`."),
    }),
    to: "the connection",
    summary: "An event sent without an acknowledgement was refused.",
    origin: "extension",
  },
} as const satisfies Record<string, EventSpec>;

export type ServerEvent = keyof typeof serverEvents;

/** What each event carries. */
export type EventPayloads = { [E in ServerEvent]: Infer<(typeof serverEvents)[E]["payload"]> };
