import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
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
  pageOf,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { languages } from "#shared/kernel/languages.ts";

/** Users. */

/** A user as shown wherever users appear. */
export const userCard = object({
  id: id(),
  username: Joi.string().example("ada"),
  full_name: line(0, 80),
  avatar_url: nullable(url("https://cdn.example.com/avatars/ada.png")),
  country: nullable(Joi.string().length(2).example("IN")),
  is_online: flag(),
  vip: nullable(
    object({
      plan_id: id(exampleIds.vipPlan),
      name: line(1, 60, "Gold"),
      badge_url: nullable(url("https://cdn.example.com/badges/gold.png")),
      expires_at: time(exampleTime(exampleIds.vipOrder, 2_592_000)),
    }),
  ),
  frame: nullable(
    object({
      id: id(exampleIds.frame),
      name: line(1, 60, "Aurora"),
      image_url: url("https://cdn.example.com/frames/aurora.png"),
    }),
  ),
}).meta({ name: "UserCard" });
export type UserCard = Infer<typeof userCard>;
/** The second person of the examples. */
export const grace: UserCard = {
  id: exampleIds.grace,
  username: "grace",
  full_name: "Grace Hopper",
  avatar_url: "https://cdn.example.com/avatars/grace.png",
  country: "US",
  is_online: true,
  vip: null,
  frame: null,
};
/** A page of the cards of other users. */
export const userCardPage = pageOf(userCard.example(grace));
export type VipBadge = NonNullable<UserCard["vip"]>;

export const friendStatuses = ["none", "requested", "incoming", "friends"] as const;

export const profile = extend(userCard, {
  bio: text(0, 500, "Poet of numbers."),
  cover_url: nullable(url("https://cdn.example.com/covers/ada.jpg")),
  followers_count: count(128).description(
    "Followers with an active account. Above 1,000, other accounts can be included.",
  ),
  following_count: count(54).description("Likewise."),
  posts_count: count(9).description("The posts that you can see."),
  is_following: flag(false),
  is_followed_by: flag(false),
  friend_status: oneOf(...friendStatuses),
  is_blocked: flag(false),
  current_room: nullable(object({ id: id(exampleIds.room), name: line(1, 60, "Night owls") })).description(
    "The room in which the user is a member, also while they aren't connected, if they and the room show it.",
  ),
  created_at: time(exampleTime(exampleIds.ada)),
}).meta({ name: "Profile" });
export type Profile = Infer<typeof profile>;

export const privacySettings = object({
  show_online: flag(),
  show_current_room: flag(),
  allow_friend_requests: oneOf("everyone", "nobody"),
  allow_dm: oneOf("everyone", "friends", "nobody"),
});

export const notificationSettings = object({
  push: flag().description("Send push notifications to your devices while you are offline."),
  email: flag().description(
    "Email me friend requests, accepted requests, gifts, comments and direct messages that I haven't seen after 10 minutes, if my email address is verified and I am offline: at most one email of each kind a day. Emails about your account are always sent.",
  ),
  gifts: flag().description("Notify me of gifts that I receive."),
  follows: flag().description("Notify me of new followers."),
  friend_requests: flag().description("Notify me of friend requests and of accepted requests."),
  messages: flag().description(
    "Send push notifications for direct messages, and notify me when I am mentioned in a room.",
  ),
  posts: flag().description("Notify me of likes and comments on my posts."),
  rooms: flag().description("Notify me when a user I follow opens a room."),
});
export type NotificationSetting = keyof Infer<typeof notificationSettings>;

export const userSettings = object({ privacy: privacySettings, notifications: notificationSettings }).meta({
  name: "UserSettings",
});
export type UserSettings = Infer<typeof userSettings>;

/** A language that the service speaks. */
export const language = () =>
  oneOf(...languages)
    .example("hi")
    .description(
      "The language of messages, emails, and notifications, before that of `Accept-Language`. Null: not chosen. `error.code` and other values never change.",
    );

const walletBalance = object({ balance: coins(370) }).meta({ name: "WalletBalance" });

export const wallet = object({
  balance: coins(370),
  debt: coins(0).description(
    "Coins of refunded orders that were already spent. They are owed: the coins that you buy next pay them first.",
  ),
}).meta({ name: "Wallet" });
export type Wallet = Infer<typeof wallet>;

export const me = extend(profile, {
  email: nullable(Joi.string().example("ada@example.com")).description(
    "Null for accounts that were opened without a password and have no verified address.",
  ),
  mobile: nullable(Joi.string().example("+919876543210")),
  email_verified: flag(),
  mobile_verified: flag(false),
  date_of_birth: nullable(date()),
  status: oneOf("active", "suspended", "deletion_pending"),
  language: nullable(language()),
  settings: userSettings,
  wallet: walletBalance,
}).meta({ name: "Me" });
export type Me = Infer<typeof me>;
