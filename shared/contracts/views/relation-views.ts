import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { flag, type Infer, id, object, oneOf, time } from "#shared/contracts/fields.ts";
import { friendStatuses, grace, userCard } from "./user-views.ts";

/** Views of how users are related, and of their devices. */

/** How the caller is related to a user, as in the user's Profile. */
export const relation = object({
  user_id: id(exampleIds.grace),
  is_following: flag(true),
  is_followed_by: flag(false),
  friend_status: oneOf(...friendStatuses),
  is_blocked: flag(false),
}).meta({ name: "Relation" });
export type Relation = Infer<typeof relation>;

export const friendRequestStatuses = ["pending", "accepted", "rejected", "cancelled"] as const;

export const friendRequest = object({
  id: id(exampleIds.friendRequest),
  sender: userCard,
  recipient: userCard.example(grace),
  status: oneOf(...friendRequestStatuses),
  created_at: time(exampleTime(exampleIds.friendRequest)),
}).meta({ name: "FriendRequest" });
export type FriendRequest = Infer<typeof friendRequest>;

export const devicePlatforms = ["android", "ios", "web"] as const;

export const device = object({
  id: id(exampleIds.adaDevice),
  platform: oneOf(...devicePlatforms),
  device_uid: Joi.string().example("8f14e45f-ceea-467f"),
  created_at: time(exampleTime(exampleIds.adaDevice)),
}).meta({ name: "Device" });
export type Device = Infer<typeof device>;
