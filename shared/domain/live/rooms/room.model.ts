import type { RoomCard } from "#shared/contracts/views.ts";
import { defaulted, defineModel, flag, integer, key, nullable, small, text, time, uuid } from "#shared/db/model.ts";

/** Rooms as stored. Their actors write them by SQL, in the commit of an action. */
export const Rooms = defineModel("rooms", {
  id: key(uuid()),
  host_id: uuid(),
  name: text(),
  category: text<RoomCard["category"]>(),
  language: text<RoomCard["language"]>(),
  description: defaulted(text()),
  cover_url: nullable(text()),
  announcement: defaulted(text()),
  welcome: defaulted(text()),
  slow_mode_seconds: defaulted(small()),
  links_allowed: defaulted(flag()),
  is_private: defaulted(flag()),
  password_hash: nullable(text()),
  seat_count: integer<RoomCard["seat_count"]>(),
  status: defaulted(text<RoomCard["status"]>()),
  close_reason: nullable(text()),
  created_at: defaulted(time()),
});
