import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import {
  coins,
  count,
  type Infer,
  id,
  integer,
  limits,
  line,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
  url,
} from "#shared/contracts/fields.ts";
import { userCard } from "./user-views.ts";

/** Notifications: what other users did that concerns the user. */

export const notificationTypes = [
  "follow",
  "friend_request",
  "friend_accepted",
  "gift",
  "post_like",
  "post_comment",
  "room_opened",
  "game_turn",
] as const;
export type NotificationType = (typeof notificationTypes)[number];

const notificationData = object({
  user: userCard.description(
    "The user who caused the notification, or the most recent of several. In `game_turn`: the last player before you, except players who have blocked you or whom you have blocked.",
  ),
  count: integer(1, Number.MAX_SAFE_INTEGER, 1).description(
    "Number of events that the notification groups while it is unread: followers, likes, comments, gifts from one sender, rooms of one host, or turns in one game.",
  ),
  request_id: optional(id(exampleIds.friendRequest).description("In `friend_request` and `friend_accepted`.")),
  post_id: optional(id(exampleIds.post).description("In `post_like` and `post_comment`.")),
  comment_id: optional(id(exampleIds.comment).description("In `post_comment`: the most recent comment.")),
  room_id: optional(id(exampleIds.room).description("In `room_opened` and `gift`: the most recent room.")),
  transaction_id: optional(id(exampleIds.giftTransaction).description("In `gift`: the most recent transaction.")),
  gift: optional(
    object({ id: id(exampleIds.gift), name: line(1, 60, "Rose"), image_url: url() }).description(
      "In `gift`: the most recent gift.",
    ),
  ),
  quantity: optional(
    integer(1, limits.giftQuantityMax, 3).description("In `gift`: the quantity of the most recent gift."),
  ),
  total_coins: optional(coins(30).description("In `gift`: the total price of all gifts.")),
  session_id: optional(id(exampleIds.gameSession).description("In `game_turn`.")),
  game: optional(line(1, 40, "ludo").description("In `game_turn`: the type of the game.")),
}).meta({ name: "NotificationData" });
/** What a notification is about. Which ids it has depends on its type. */
export type NotificationData = Infer<typeof notificationData>;

export const notification = object({
  id: id(exampleIds.notification),
  type: oneOf(...notificationTypes),
  title: Joi.string().example("New follower"),
  body: text(1, 500, "Ada Lovelace followed you."),
  data: notificationData,
  read_at: nullable(time()).description("Null: unread."),
  created_at: time().description("When the most recent event happened."),
}).meta({ name: "Notification" });
export type Notification = Infer<typeof notification>;

export const unreadCount = object({ unread_count: count(3) }).meta({ name: "UnreadCount" });
