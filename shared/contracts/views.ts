import Joi from "joi";
import {
  coins,
  count,
  date,
  flag,
  id,
  integer,
  line,
  listOf,
  nullable,
  oneOf,
  text,
  time,
  url,
  view,
} from "./fields.ts";

/** What clients see. One interface and one schema each; the schema types check each other at compile time. */

export interface VipBadge {
  plan_id: string;
  name: string;
  badge_url: string | null;
  expires_at: string;
}

export interface FrameBadge {
  id: string;
  name: string;
  image_url: string;
}

/** Every place that shows a user shows this. */
export interface UserCard {
  id: string;
  username: string;
  full_name: string;
  avatar_url: string | null;
  country: string | null;
  is_online: boolean;
  vip: VipBadge | null;
  frame: FrameBadge | null;
}

export const userCard = view<UserCard>({
  id: id(),
  username: Joi.string().example("ada"),
  full_name: line(0, 80),
  avatar_url: nullable(url()),
  country: nullable(Joi.string().length(2).example("IN")),
  is_online: flag(),
  vip: nullable(
    view<VipBadge>({ plan_id: id(), name: line(1, 60, "Gold"), badge_url: nullable(url()), expires_at: time() }),
  ),
  frame: nullable(view<FrameBadge>({ id: id(), name: line(1, 60, "Aurora"), image_url: url() })),
}).meta({ name: "UserCard" });

export const friendStatuses = ["none", "requested", "incoming", "friends"] as const;

export interface Profile extends UserCard {
  bio: string;
  cover_url: string | null;
  followers_count: number;
  following_count: number;
  posts_count: number;
  is_following: boolean;
  is_followed_by: boolean;
  friend_status: (typeof friendStatuses)[number];
  is_blocked: boolean;
  current_room: { id: string; name: string } | null;
  created_at: string;
}

export const profile = userCard
  .append<Profile>({
    bio: text(0, 500, "Poet of numbers."),
    cover_url: nullable(url()),
    followers_count: count(),
    following_count: count(),
    posts_count: count(),
    is_following: flag(false),
    is_followed_by: flag(false),
    friend_status: oneOf(...friendStatuses),
    is_blocked: flag(false),
    current_room: nullable(view({ id: id(), name: line(1, 60, "Night owls") })),
    created_at: time(),
  })
  .meta({ name: "Profile" });

export interface UserSettings {
  privacy: {
    show_online: boolean;
    show_current_room: boolean;
    allow_friend_requests: "everyone" | "nobody";
    allow_dm: "everyone" | "friends" | "nobody";
  };
  notifications: Record<(typeof notificationSettings)[number], boolean>;
}

export const notificationSettings = [
  "push",
  "email",
  "gifts",
  "follows",
  "friend_requests",
  "messages",
  "posts",
  "rooms",
] as const;

export const userSettings = view<UserSettings>({
  privacy: view<UserSettings["privacy"]>({
    show_online: flag(),
    show_current_room: flag(),
    allow_friend_requests: oneOf("everyone", "nobody"),
    allow_dm: oneOf("everyone", "friends", "nobody"),
  }),
  notifications: view<UserSettings["notifications"]>(
    Object.fromEntries(notificationSettings.map((key) => [key, flag()])),
  ),
}).meta({ name: "UserSettings" });

export interface Me extends Profile {
  email: string;
  mobile: string | null;
  email_verified: boolean;
  mobile_verified: boolean;
  date_of_birth: string | null;
  status: "active" | "suspended" | "deletion_pending";
  settings: UserSettings;
  wallet: { balance: number };
}

export const me = profile
  .append<Me>({
    email: Joi.string().example("ada@example.com"),
    mobile: nullable(Joi.string().example("+919876543210")),
    email_verified: flag(false),
    mobile_verified: flag(false),
    date_of_birth: nullable(date()),
    status: oneOf("active", "suspended", "deletion_pending"),
    settings: userSettings,
    wallet: view({ balance: coins() }),
  })
  .meta({ name: "Me" });

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
  seat_no: nullable(integer(1, 100, 2)),
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
  banned_until: string | null;
  reason: string;
  created_at: string;
}

export const roomBan = view<RoomBan>({
  user: userCard,
  banned_until: nullable(time()).description("Null: for good."),
  reason: text(0, 200, ""),
  created_at: time(),
}).meta({ name: "RoomBan" });

export interface Gift {
  id: string;
  name: string;
  image_url: string;
  animation_url: string | null;
  price: number;
  category_id: string;
}

export const gift = view<Gift>({
  id: id(),
  name: line(1, 60, "Rose"),
  image_url: url(),
  animation_url: nullable(url()),
  price: coins(10),
  category_id: id(),
}).meta({ name: "Gift" });

export interface GiftTransaction {
  id: string;
  gift: Gift;
  quantity: number;
  total_coins: number;
  sender: UserCard;
  recipient: UserCard;
  room_id: string;
  created_at: string;
}

export const giftTransaction = view<GiftTransaction>({
  id: id(),
  gift,
  quantity: integer(1, 999, 3),
  total_coins: coins(30),
  sender: userCard,
  recipient: userCard,
  room_id: id(),
  created_at: time(),
}).meta({ name: "GiftTransaction" });

export const ledgerTypes = [
  "signup_bonus",
  "coin_purchase",
  "gift_sent",
  "gift_received",
  "frame_purchase",
  "admin_adjustment",
  "refund",
  "game_entry",
  "game_prize",
] as const;
export type LedgerType = (typeof ledgerTypes)[number];

export interface LedgerEntry {
  id: string;
  type: LedgerType;
  direction: "credit" | "debit";
  /** Coins, positive. */
  amount: number;
  balance_after: number;
  reference: { type: string; id: string };
  description: string;
  created_at: string;
}

export const ledgerEntry = view<LedgerEntry>({
  id: id(),
  type: oneOf(...ledgerTypes),
  direction: oneOf("credit", "debit"),
  amount: coins(),
  balance_after: coins(400),
  reference: view({ type: Joi.string().example("gift_transaction"), id: id() }),
  description: text(0, 200, "Rose × 3"),
  created_at: time(),
}).meta({ name: "LedgerEntry" });
