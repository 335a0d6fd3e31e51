import Joi from "joi";
import type { RoomPatch } from "#shared/contracts/actors.ts";
import { cursorQuery, flag, id, input, integer, limits, line, pageQuery, text } from "#shared/contracts/fields.ts";
import type { PageQuery } from "#shared/kernel/page.ts";

export interface RoomParams {
  id: string;
}

const password = text(1, 128, "open sesame");
const seatCount = integer(limits.seatsMin, limits.seatsMax, limits.seatsDefault);
const category = line(1, 40, "music").description("One of `room_categories` of `GET /config/public`.");
const language = line(2, 10, "en").description("One of `languages` of `GET /config/public`.");

export const roomParams = input<RoomParams>({ id: id().required() });

export interface RoomListQuery extends PageQuery {
  category?: string;
  filter: "recommended" | "new" | "popular";
  q?: string;
}

export const roomListQuery = input<RoomListQuery>({
  ...pageQuery,
  category: line(1, 40, "music"),
  filter: Joi.string()
    .valid("recommended", "new", "popular")
    .default("recommended")
    .description(
      "recommended: rooms with people in them first, newest first; new: newest first; popular: most people first.",
    )
    .example("popular"),
  q: line(1, 60, "owls").description("Part of the name or description."),
});

export interface CreateRoomBody {
  name: string;
  category: string;
  language: string;
  description: string;
  is_private: boolean;
  password?: string;
  seat_count: number;
}

export const createRoomBody = input<CreateRoomBody>({
  name: line(1, 60, "Night owls").required(),
  category: category.required(),
  language: language.required(),
  description: text(0, 500, "Songs until dawn.").default(""),
  is_private: flag(false).default(false),
  password,
  seat_count: seatCount.default(limits.seatsDefault),
});

export const patchRoomBody = input<RoomPatch>({
  name: line(1, 60, "Early birds"),
  category,
  language,
  description: text(0, 500, "Songs at dawn."),
  is_private: flag(false),
  password: password.allow(null).description("Null takes the password away."),
  seat_count: seatCount.description("Whoever sits on a seat that goes stands."),
}).min(1);

export const messagesQuery = input<{ before?: string; limit: number }>(cursorQuery);

export const bansQuery = input<PageQuery>(pageQuery);

export const unbanQuery = input<{ user_id?: string }>({
  user_id: id().description("Whose ban to lift; absent: all."),
});
