import {
  cursorQuery,
  flag,
  type Infer,
  id,
  integer,
  limits,
  line,
  object,
  oneOf,
  optional,
  pageQuery,
  text,
  withDefault,
} from "#shared/contracts/fields.ts";

const password = text(1, 128, "open sesame");
const seatCount = integer(limits.seatsMin, limits.seatsMax, limits.seatsDefault);
const category = line(1, 40, "music").description("One of `room_categories` of `GET /config/public`.");
const language = line(2, 10, "en").description("One of `languages` of `GET /config/public`.");

export const roomParams = object({ id: id() });
export type RoomParams = Infer<typeof roomParams>;

export const roomListQuery = object({
  ...pageQuery,
  category: optional(line(1, 40, "music")),
  filter: withDefault(
    oneOf("recommended", "new", "popular")
      .description(
        "recommended: rooms with people in them first, newest first; new: newest first; popular: most people first.",
      )
      .example("popular"),
    "recommended",
  ),
  q: optional(line(1, 60, "owls").description("Part of the name or description.")),
});
export type RoomListQuery = Infer<typeof roomListQuery>;

export const createRoomBody = object({
  name: line(1, 60, "Night owls"),
  category,
  language,
  description: withDefault(text(0, 500, "Songs until dawn."), ""),
  is_private: withDefault(flag(false), false),
  password: optional(password),
  seat_count: withDefault(seatCount, limits.seatsDefault),
});
export type CreateRoomBody = Infer<typeof createRoomBody>;

export const patchRoomBody = object({
  name: optional(line(1, 60, "Early birds")),
  category: optional(category),
  language: optional(language),
  description: optional(text(0, 500, "Songs at dawn.")),
  is_private: optional(flag(false)),
  password: optional(password.allow(null).description("Null takes the password away.")),
  seat_count: optional(seatCount.description("Whoever sits on a seat that goes stands.")),
}).min(1);

export const messagesQuery = object(cursorQuery);

export const bansQuery = object(pageQuery);

export const unbanQuery = object({
  user_id: optional(id().description("Whose ban to lift; absent: all.")),
});
