import Joi from "joi";
import {
  coins,
  count,
  flag,
  id,
  integer,
  line,
  listOf,
  nullable,
  oneOf,
  text,
  time,
  view,
} from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Views of rooms and of what is live in them. */

export type RoomRole = "host" | "moderator" | "member";
export const roomRoles = ["host", "moderator", "member"] as const;

export interface RoomCard {
  id: string;
  name: string;
  category: string;
  language: string;
  description: string;
  is_private: boolean;
  seat_count: number;
  status: "open" | "closed";
  host: UserCard;
  member_count: number;
  seated_count: number;
  created_at: string;
}

export const roomCard = view<RoomCard>({
  id: id(),
  name: line(1, 60, "Night owls"),
  category: Joi.string().example("music"),
  language: Joi.string().example("en"),
  description: text(0, 500, "Songs until dawn."),
  is_private: flag(false),
  seat_count: integer(1, 100, 8),
  status: oneOf("open", "closed"),
  host: userCard,
  member_count: count(12),
  seated_count: count(3),
  created_at: time(),
}).meta({ name: "RoomCard" });

export interface Seat {
  /** From 1 to the room's `seat_count`. */
  seat_no: number;
  user: UserCard | null;
  locked: boolean;
  muted: boolean;
  muted_by_host: boolean;
  speaking: boolean;
  /** Coins received on this sitting. */
  gifts_received: number;
}

export const seat = view<Seat>({
  seat_no: integer(1, 100, 1),
  user: nullable(userCard),
  locked: flag(false),
  muted: flag(false),
  muted_by_host: flag(false),
  speaking: flag(false),
  gifts_received: coins(0),
}).meta({ name: "Seat" });

export interface Member {
  user: UserCard;
  role: RoomRole;
  seat_no: number | null;
  joined_at: string;
}

export const member = view<Member>({
  user: userCard,
  role: oneOf(...roomRoles),
  seat_no: nullable(integer(1, 100, 2)),
  joined_at: time(),
}).meta({ name: "Member" });

export interface Room extends RoomCard {
  seats: Seat[];
  members: Member[];
  my_role: RoomRole | null;
  /** `seq` of the last change of seats; equal to `version` of `room:seats_updated`. */
  version: number;
  /** The `seq` this was read at: drop room events that are not above it. */
  seq: number;
}

export const room = roomCard
  .append<Room>({
    seats: listOf(seat),
    members: listOf(member),
    my_role: nullable(oneOf(...roomRoles)),
    version: count(4294967300),
    seq: count(4294967301),
  })
  .meta({ name: "Room" });

export const seatRequestStatuses = ["pending", "approved", "rejected", "cancelled", "expired"] as const;

export interface SeatRequest {
  id: string;
  room_id: string;
  user: UserCard;
  seat_no: number | null;
  status: (typeof seatRequestStatuses)[number];
  created_at: string;
}

export const seatRequest = view<SeatRequest>({
  id: id(),
  room_id: id(),
  user: userCard,
  seat_no: nullable(integer(1, 100, 2)).description(
    "The seat that was asked for; null: any. If it is not free any more, approval gives another.",
  ),
  status: oneOf(...seatRequestStatuses),
  created_at: time(),
}).meta({ name: "SeatRequest" });

export interface RoomMessage {
  id: string;
  room_id: string;
  user: UserCard;
  body: string;
  kind: "text" | "system";
  created_at: string;
  /** Only in the acknowledgement and the push of a message sent with one. */
  client_id?: string;
}

export const roomMessage = view<RoomMessage>({
  id: id(),
  room_id: id(),
  user: userCard,
  body: text(1, 1000, "Good evening!"),
  kind: oneOf("text", "system"),
  created_at: time(),
  client_id: Joi.string().max(64).optional().example("c-17"),
}).meta({ name: "RoomMessage" });

export interface RoomBan {
  user: UserCard;
  banned_until: string;
  reason: string;
  created_at: string;
}

export const roomBan = view<RoomBan>({
  user: userCard,
  banned_until: time(),
  reason: text(0, 200, ""),
  created_at: time(),
}).meta({ name: "RoomBan" });
