import Joi from "joi";
import { flag, id, oneOf, time, view } from "#shared/contracts/fields.ts";
import { friendStatuses, type Profile, type UserCard, userCard } from "./user-views.ts";

/** Views of what people have to do with each other, and of their devices. */

/** What there is between the caller and somebody, as in that one's Profile. */
export interface Relation extends Pick<Profile, "is_following" | "is_followed_by" | "friend_status" | "is_blocked"> {
  user_id: string;
}

export const relation = view<Relation>({
  user_id: id(),
  is_following: flag(true),
  is_followed_by: flag(false),
  friend_status: oneOf(...friendStatuses),
  is_blocked: flag(false),
}).meta({ name: "Relation" });

export const friendRequestStatuses = ["pending", "accepted", "rejected", "cancelled"] as const;

export interface FriendRequest {
  id: string;
  sender: UserCard;
  recipient: UserCard;
  status: (typeof friendRequestStatuses)[number];
  created_at: string;
}

export const friendRequest = view<FriendRequest>({
  id: id(),
  sender: userCard,
  recipient: userCard,
  status: oneOf(...friendRequestStatuses),
  created_at: time(),
}).meta({ name: "FriendRequest" });

export interface Device {
  id: string;
  platform: "android" | "ios" | "web";
  device_uid: string;
  created_at: string;
}

export const device = view<Device>({
  id: id(),
  platform: oneOf("android", "ios", "web"),
  device_uid: Joi.string().example("8f14e45f-ceea-467f"),
  created_at: time(),
}).meta({ name: "Device" });
