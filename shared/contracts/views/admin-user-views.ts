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
  text,
  time,
} from "#shared/contracts/fields.ts";
import { identity } from "./account-views.ts";
import { order } from "./payment-views.ts";
import { reportStatuses, reportTargets } from "./report-views.ts";
import { sessionWay } from "./session-views.ts";
import { wallet } from "./user-views.ts";

/** Users as administrators see them. */

export const accountStatuses = ["active", "suspended", "deletion_pending", "deleted"] as const;

export const managedUser = object({
  id: id(),
  username: Joi.string().example("ada"),
  full_name: line(0, 80),
  email: nullable(Joi.string().example("ada@example.com")).description("Null: erased."),
  mobile: nullable(Joi.string().example("+919876543210")),
  email_verified: flag(),
  mobile_verified: flag(false),
  country: nullable(Joi.string().length(2).example("IN")),
  status: oneOf(...accountStatuses),
  suspended_until: nullable(time("2026-12-01T00:00:00.000Z").example(null)).description(
    "When the suspension ends by itself.",
  ),
  created_at: time(exampleTime(exampleIds.ada)),
  last_seen_at: nullable(time(exampleTime(exampleIds.ada, 3600))),
}).meta({ name: "ManagedUser" });
export type ManagedUser = Infer<typeof managedUser>;

const created = (example: string) => ({ id: id(example), created_at: time(exampleTime(example)) });

const session = object({
  ...created(exampleIds.adaSession),
  user_agent: text(0, 300, "Hubbub/1.0 (Android 16)"),
  ip: text(0, 45, "203.0.113.7"),
  way: sessionWay(),
  last_used_at: time(exampleTime(exampleIds.adaSession, 3900)),
  expires_at: time(exampleTime(exampleIds.adaSession, 2_595_900)),
});

const linkedIdentity = extend(identity, {
  subject: nullable(text(1, 255, "110169484474386276334")).description(
    "The user's ID at the provider, or their number. Null for passwords and guests.",
  ),
}).meta({ name: "ManagedIdentity" });

const device = object({
  ...created(exampleIds.adaDevice),
  platform: oneOf("android", "ios", "web"),
  updated_at: time(exampleTime(exampleIds.adaDevice)),
});

const filed = object({
  ...created(exampleIds.report),
  target_type: oneOf(...reportTargets),
  target_id: id(exampleIds.grace),
  reporter_id: id(),
  target_user_id: id(exampleIds.grace),
  reason: text(0, 100, "Harassment"),
  status: oneOf(...reportStatuses),
});

const given = object({
  ...created(exampleIds.giftTransaction),
  gift_id: id(exampleIds.gift),
  room_id: id(exampleIds.room),
  sender_id: id(),
  recipient_id: id(exampleIds.grace),
  quantity: integer(1, limits.giftQuantityMax, 3),
  total_coins: coins(30),
});

const hosted = object({
  ...created(exampleIds.room),
  name: line(1, 60, "Night owls"),
  status: oneOf("open", "closed"),
  closed_at: nullable(time(exampleTime(exampleIds.room, 3600)).example(null)),
});

const latest = <Schema extends Joi.AnySchema>(item: Schema) =>
  object({ total: count(1), items: listOf(item) }).description("How many there are, and the 10 newest.");

export const managedUserDetails = extend(managedUser, {
  bio: text(0, 500, "Poet of numbers."),
  avatar_url: nullable(Joi.string().example("https://cdn.example.com/avatars/ada.png")),
  cover_url: nullable(Joi.string().example("https://cdn.example.com/covers/ada.jpg")),
  deletion_due_at: nullable(time("2026-12-01T00:00:00.000Z").example(null)),
  is_online: flag(),
  current_room_id: nullable(id(exampleIds.room)),
  suspension: nullable(
    object({
      reason: text(0, 500, "Spam"),
      since: time("2026-11-01T00:00:00.000Z"),
      until: nullable(time("2026-12-01T00:00:00.000Z")),
    }),
  ),
  is_guest: flag(false),
  guest_ended_at: nullable(time("2026-12-01T00:00:00.000Z").example(null)).description(
    "When a guest became a user, by linking an identity.",
  ),
  second_factor: flag(false).description("Whether a login by password asks for a code."),
  wallet,
  identities: latest(linkedIdentity).description("The ways in which the user logs in."),
  sessions: latest(session).description("Those that can still be used, the most recently used first."),
  devices: latest(device),
  reports_by: latest(filed),
  reports_against: latest(filed).description("Reports of the user and of what is theirs."),
  orders: latest(order),
  gifts_sent: latest(given),
  gifts_received: latest(given),
  rooms: latest(hosted).description("The rooms that the user hosts or hosted."),
}).meta({ name: "ManagedUserDetails" });
export type ManagedUserDetails = Infer<typeof managedUserDetails>;

export const endedSessions = object({ id: id(), ended: count(2).description("How many sessions ended.") }).meta({
  name: "EndedSessions",
});
