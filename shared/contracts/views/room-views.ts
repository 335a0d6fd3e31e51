import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  coins,
  count,
  extend,
  flag,
  type Infer,
  id,
  integer,
  limits,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { heldMark } from "./held-views.ts";
import { messageExtras, messageKinds } from "./message-views.ts";
import { userCard } from "./user-views.ts";

/** Views of rooms and of what is live in them. */

export type RoomRole = "host" | "moderator" | "member";
export const roomRoles = ["host", "moderator", "member"] as const;

export const roomCard = object({
  id: id(exampleIds.room),
  name: line(1, 60, "Night owls"),
  category: Joi.string().example("music"),
  language: Joi.string().example("en"),
  description: text(0, 500, "Songs until dawn."),
  cover_url: nullable(url("https://cdn.example.com/covers/owls.webp")).description("Extension."),
  announcement: text(0, 500, "Karaoke at nine.").description("Extension: what the host tells everyone in the room."),
  welcome: text(0, 500, "Welcome! Be kind.").description("Extension: what clients show to those who join."),
  slow_mode_seconds: count(0).description(
    "Extension: how long members wait between two messages. Not the host and moderators.",
  ),
  links_allowed: flag().description("Extension: whether members' messages may contain links."),
  is_private: flag(false),
  has_password: flag(false).description("Whether users without a role in the room need its password to join."),
  seat_count: integer(1, 100, 8),
  status: oneOf("open", "closed"),
  host: userCard,
  member_count: count(12),
  seated_count: count(3),
  created_at: time(exampleTime(exampleIds.room)),
}).meta({ name: "RoomCard" });
export type RoomCard = Infer<typeof roomCard>;

export const seat = object({
  seat_no: integer(1, 100, 1),
  user: nullable(userCard),
  locked: flag(false),
  muted: flag(false),
  muted_by_host: flag(false),
  speaking: flag(false),
  gifts_received: coins(0),
}).meta({ name: "Seat" });
export type Seat = Infer<typeof seat>;

export const member = object({
  user: userCard,
  role: oneOf(...roomRoles),
  seat_no: nullable(integer(1, 100, 2)),
  joined_at: time(exampleTime(exampleIds.room, 20)),
  connected: flag(true).description(
    "Whether a connection of the user receives the room's events. `user.is_online` says whether they are online at all.",
  ),
}).meta({ name: "Member" });
export type Member = Infer<typeof member>;

export const room = extend(roomCard, {
  seats: listOf(seat),
  members: listOf(member).description(
    "Everyone in the room, if they are at most 300. In a larger crowd, the first 50 of `GET /rooms/:id/members`, which lists all, and yourself; `member_count` says how many there are.",
  ),
  my_role: nullable(oneOf(...roomRoles)),
  joined: flag(true).description(
    "Whether you are in the room. The host and moderators keep `my_role` while they aren't. To enter, join the room.",
  ),
  version: count(4294967300),
  seq: count(4294967301),
}).meta({ name: "Room" });
export type Room = Infer<typeof room>;

export const seatRequestStatuses = ["pending", "approved", "rejected", "cancelled", "expired"] as const;

export const seatRequest = object({
  id: id(exampleIds.seatRequest),
  room_id: id(exampleIds.room),
  user: userCard,
  seat_no: nullable(integer(1, 100, 2)).description(
    "The requested seat, or null for any. If it is no longer free on approval, the requester gets another seat.",
  ),
  status: oneOf(...seatRequestStatuses),
  created_at: time(exampleTime(exampleIds.seatRequest)),
}).meta({ name: "SeatRequest" });
export type SeatRequest = Infer<typeof seatRequest>;

export const roomMessage = object({
  id: id(exampleIds.roomMessage),
  room_id: id(exampleIds.room),
  user: userCard,
  body: text(0, limits.messageLength, "Good evening!"),
  kind: oneOf(...messageKinds),
  created_at: time(exampleTime(exampleIds.roomMessage)),
  ...messageExtras,
  mentions: optional(listOf(id(exampleIds.grace)).description("Users who are mentioned.")),
  client_id: optional(Joi.string().max(64).example("c-17")),
  held: heldMark(),
}).meta({ name: "RoomMessage" });
export type RoomMessage = Infer<typeof roomMessage>;

export const roomBan = object({
  user: userCard,
  banned_until: time(exampleTime(exampleIds.roomMessage, 660)),
  reason: text(0, 200, "Shouting"),
  created_at: time(exampleTime(exampleIds.roomMessage, 60)),
}).meta({ name: "RoomBan" });
export type RoomBan = Infer<typeof roomBan>;

export const roomRuleFields = {
  words: listOf(line(1, 60, "spoiler*"))
    .max(100)
    .unique()
    .description(
      "Words and phrases; `word*` is the beginning of a word, `*word` its end, `*word*` any part. Usual disguises make no difference. None: anything may be said.",
    ),
  allow: listOf(line(1, 60, "spoilers welcome"))
    .max(100)
    .unique()
    .description("Words that are meant."),
  action: oneOf("block", "mask", "mute").description(
    "`block` refuses the message with CONTENT_BLOCKED, `mask` shows stars instead, and `mute` refuses it and mutes its author in the chat of the room.",
  ),
  minutes: integer(1, 1440, 5).description("For `mute`."),
  text: text(0, 200, "No spoilers, please.").description("What the author is told. Empty: a text of the service."),
};
export const roomRules = object(roomRuleFields).meta({ name: "RoomRules" });
export type RoomRules = Infer<typeof roomRules>;
