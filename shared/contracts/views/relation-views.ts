import Joi from "joi";
import { flag, type Infer, id, object, oneOf, time } from "#shared/contracts/fields.ts";
import { friendStatuses, type Profile, userCard } from "./user-views.ts";

/** Views of what people have to do with each other, and of their devices. */

/** What there is between the caller and somebody, as in that one's Profile. */
export interface Relation extends Pick<Profile, "is_following" | "is_followed_by" | "friend_status" | "is_blocked"> {
  user_id: string;
}

export const relation = object({
  user_id: id(),
  is_following: flag(true),
  is_followed_by: flag(false),
  friend_status: oneOf(...friendStatuses),
  is_blocked: flag(false),
}).meta({ name: "Relation" });

export const friendRequestStatuses = ["pending", "accepted", "rejected", "cancelled"] as const;

export const friendRequest = object({
  id: id(),
  sender: userCard,
  recipient: userCard,
  status: oneOf(...friendRequestStatuses),
  created_at: time(),
}).meta({ name: "FriendRequest" });
export type FriendRequest = Infer<typeof friendRequest>;

export const device = object({
  id: id(),
  platform: oneOf("android", "ios", "web"),
  device_uid: Joi.string().example("8f14e45f-ceea-467f"),
  created_at: time(),
}).meta({ name: "Device" });
export type Device = Infer<typeof device>;
