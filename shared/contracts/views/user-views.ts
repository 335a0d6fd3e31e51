import Joi from "joi";
import {
  coins,
  count,
  date,
  extend,
  flag,
  type Infer,
  id,
  line,
  nullable,
  object,
  oneOf,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";

/** Views of people. */

/** Every place that shows a user shows this. */
export const userCard = object({
  id: id(),
  username: Joi.string().example("ada"),
  full_name: line(0, 80),
  avatar_url: nullable(url()),
  country: nullable(Joi.string().length(2).example("IN")),
  is_online: flag(),
  vip: nullable(object({ plan_id: id(), name: line(1, 60, "Gold"), badge_url: nullable(url()), expires_at: time() })),
  frame: nullable(object({ id: id(), name: line(1, 60, "Aurora"), image_url: url() })),
}).meta({ name: "UserCard" });
export type UserCard = Infer<typeof userCard>;
export type VipBadge = NonNullable<UserCard["vip"]>;

export const friendStatuses = ["none", "requested", "incoming", "friends"] as const;

export const profile = extend(userCard, {
  bio: text(0, 500, "Poet of numbers."),
  cover_url: nullable(url()),
  followers_count: count(),
  following_count: count(),
  posts_count: count(),
  is_following: flag(false),
  is_followed_by: flag(false),
  friend_status: oneOf(...friendStatuses),
  is_blocked: flag(false),
  current_room: nullable(object({ id: id(), name: line(1, 60, "Night owls") })),
  created_at: time(),
}).meta({ name: "Profile" });
export type Profile = Infer<typeof profile>;

export const privacySettings = object({
  show_online: flag(),
  show_current_room: flag(),
  allow_friend_requests: oneOf("everyone", "nobody"),
  allow_dm: oneOf("everyone", "friends", "nobody"),
});

export const notificationSettings = object({
  push: flag().description("Push notifications to your devices while you are not connected."),
  email: flag().description("Reserved for clients: nothing is mailed yet. Mail about the account is always sent."),
  gifts: flag().description("Gifts that you receive."),
  follows: flag().description("New followers."),
  friend_requests: flag().description("Friend requests, and that yours was accepted."),
  messages: flag().description("Push notifications of direct messages."),
  posts: flag().description("Likes of your posts, and comments."),
  rooms: flag().description("Rooms opened by people whom you follow."),
});
export type NotificationSetting = keyof Infer<typeof notificationSettings>;

export const userSettings = object({ privacy: privacySettings, notifications: notificationSettings }).meta({
  name: "UserSettings",
});
export type UserSettings = Infer<typeof userSettings>;

export const me = extend(profile, {
  email: Joi.string().example("ada@example.com"),
  mobile: nullable(Joi.string().example("+919876543210")),
  email_verified: flag(false),
  mobile_verified: flag(false),
  date_of_birth: nullable(date()),
  status: oneOf("active", "suspended", "deletion_pending"),
  settings: userSettings,
  wallet: object({ balance: coins() }),
}).meta({ name: "Me" });
export type Me = Infer<typeof me>;
