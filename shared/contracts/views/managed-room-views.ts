import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  extend,
  flag,
  type Infer,
  id,
  integer,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { member, roomRuleFields, seat } from "./room-views.ts";

/** Rooms as administrators see them, private ones included. */

const processId = () => Joi.string().description("The process that its actor runs in.").example("K3f9aP2xQ");

export const managedRoom = object({
  id: id(exampleIds.room),
  host_id: id(),
  name: line(1, 60, "Night owls"),
  category: Joi.string().example("music"),
  language: Joi.string().example("en"),
  is_private: flag(false),
  has_password: flag(false),
  seat_count: integer(1, 100, 8),
  status: oneOf("open", "closed"),
  close_reason: nullable(text(0, 500, "Hate speech").example(null)),
  member_count: count(12),
  seated_count: count(3),
  process_id: nullable(processId()),
  created_at: time(exampleTime(exampleIds.room)),
  closed_at: nullable(time(exampleTime(exampleIds.room, 3600)).example(null)),
}).meta({ name: "ManagedRoom" });
export type ManagedRoom = Infer<typeof managedRoom>;

/** What an actor says of its room. */
export const liveRoom = object({
  process_id: processId(),
  seats: listOf(seat),
  members: listOf(member),
}).meta({ name: "LiveRoom" });
export type RoomSnapshot = Infer<typeof liveRoom>;

export const managedRoomDetails = extend(managedRoom, {
  description: text(0, 500, "Songs until dawn."),
  rules: nullable(
    object({
      ...roomRuleFields,
      changed_by: nullable(id(exampleIds.ada)),
      changed_at: time(exampleTime(exampleIds.roomMessage)),
    }),
  ).description("What its host and moderators don't want to read there. Null: they have said nothing."),
  live: nullable(liveRoom).description("Its members and seats now. Null: it is closed."),
}).meta({ name: "ManagedRoomDetails" });
export type ManagedRoomDetails = Infer<typeof managedRoomDetails>;
