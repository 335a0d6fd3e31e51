import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  cursorQuery,
  extend,
  flag,
  id,
  integer,
  limits,
  line,
  nullable,
  object,
  oneOf,
  optional,
  pageOf,
  pageQuery,
  rareId,
  text,
  withDefault,
} from "#shared/contracts/fields.ts";
import { roomCard, roomRuleFields } from "#shared/contracts/views.ts";

const password = text(1, 128, "open sesame");
const seatCount = integer(limits.seatsMin, limits.seatsMax, limits.seatsDefault);
const category = line(1, 40, "music").description("One of `room_categories` in `GET /config/public`.");
const language = line(2, 10, "en").description("One of `languages` in `GET /config/public`.");
const cover = rareId().description("An upload of yours with the purpose `room_cover`.");

export const roomParams = object({ id: id(exampleIds.room) });

const roomCursor = Joi.string()
  .regex(/^\d{1,9}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "the `next_before` of another page")
  .example(`12_${exampleIds.room}`);

export const roomListQuery = object({
  ...pageQuery,
  before: optional(
    roomCursor.description(
      "Extension: the `next_before` of another page. Pages are then counted from there, so the list can be read beyond `total`, and costs as little there.",
    ),
  ),
  category: optional(line(1, 40, "music")),
  filter: withDefault(
    oneOf("recommended", "new", "popular")
      .description(
        "`recommended`: rooms with people in them first, then newest first. `new`: newest first. `popular`: most people first.",
      )
      .example("popular"),
    "recommended",
  ),
  q: optional(
    line(1, 60, "owls").description(
      "Text to find in the name or description. The newest 500 rooms that contain it are listed, or those of them in the category; one or two letters are looked for in the newest 10,000 rooms.",
    ),
  ),
});

export const roomList = extend(pageOf(roomCard), {
  next_before: nullable(
    roomCursor.description(
      "Extension: send it as `before` to get the rooms that follow this page. Null if the page has fewer than `limit`.",
    ),
  ),
}).meta({ name: "RoomPage" });

export const createRoomBody = object({
  name: line(1, 60, "Night owls"),
  category,
  language,
  description: withDefault(text(0, 500, "Songs until dawn."), ""),
  is_private: withDefault(flag(false), false),
  password: optional(password),
  seat_count: withDefault(seatCount, limits.seatsDefault),
  cover_media_id: optional(cover),
}).meta({ name: "CreateRoomBody" });

export const updateRoomBody = object({
  name: optional(line(1, 60, "Early birds")),
  category: optional(category),
  language: optional(language),
  description: optional(text(0, 500, "Songs at dawn.")),
  is_private: optional(flag(false)),
  password: optional(password.allow(null).description("Null removes the password.")),
  seat_count: optional(seatCount.description("Occupants of removed seats lose their seat.")),
  cover_media_id: optional(nullable(cover)),
  announcement: optional(text(0, 500, "Karaoke at nine.")),
  welcome: optional(text(0, 500, "Welcome! Be kind.")),
  slow_mode_seconds: optional(integer(0, 3600, 10).description("0 for no slow mode.")),
  links_allowed: optional(flag()),
})
  .min(1)
  .meta({ name: "UpdateRoomBody" });

export const messagesQuery = object(cursorQuery);

export const setRoomRulesBody = object(roomRuleFields).meta({ name: "SetRoomRulesBody" });

export const bansQuery = object(pageQuery);
export const membersQuery = object(pageQuery);

export const unbanQuery = object({
  user_id: optional(id(exampleIds.grace).description("The user to unban. Omit to lift all bans.")),
});

/** Errors of what only the host, or the moderators too, may do. */
export const runErrors = ["FORBIDDEN", "NOT_A_MEMBER", "ROOM_CLOSED"] as const;
