import Joi from "joi";
import {
  coins,
  count,
  date,
  flag,
  id,
  line,
  nullable,
  oneOf,
  text,
  time,
  url,
  view,
} from "#shared/contracts/fields.ts";

/** Views of people. */

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
  notifications: Record<NotificationSetting, boolean>;
}

/** Each with what it turns on. */
export const notificationSettings = {
  push: "Pushes to your devices while you are not connected.",
  email: "Kept for clients: nothing of this is mailed. Mail about the account itself always comes.",
  gifts: "Gifts that you are given.",
  follows: "New followers.",
  friend_requests: "Friend requests, and that yours was accepted.",
  messages: "Pushes of messages.",
  posts: "Likes of your posts, and comments.",
  rooms: "Rooms opened by people whom you follow.",
} as const;

export type NotificationSetting = keyof typeof notificationSettings;

export const userSettings = view<UserSettings>({
  privacy: view<UserSettings["privacy"]>({
    show_online: flag(),
    show_current_room: flag(),
    allow_friend_requests: oneOf("everyone", "nobody"),
    allow_dm: oneOf("everyone", "friends", "nobody"),
  }),
  notifications: view<UserSettings["notifications"]>(
    Object.fromEntries(Object.entries(notificationSettings).map(([key, what]) => [key, flag().description(what)])),
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
