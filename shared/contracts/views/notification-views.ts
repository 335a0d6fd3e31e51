import Joi from "joi";
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

/** Views of what somebody is told of what others did. */

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
    "Who did it; of several, the last. In game_turn: the last player before you whom no block parts from you.",
  ),
  count: integer(1, Number.MAX_SAFE_INTEGER, 1).description(
    "1, or how many came while the notification was unread: followers, likes, comments, gifts of one sender, rooms of one host, turns of one game.",
  ),
  request_id: optional(id().description("In friend_request and friend_accepted.")),
  post_id: optional(id().description("In post_like and post_comment.")),
  comment_id: optional(id().description("In post_comment: the last one.")),
  room_id: optional(id().description("In room_opened and gift: the last one.")),
  transaction_id: optional(id().description("In gift: the last one.")),
  gift: optional(
    object({ id: id(), name: line(1, 60, "Rose"), image_url: url() }).description("In gift: the last one."),
  ),
  quantity: optional(integer(1, limits.giftQuantityMax, 3).description("In gift: of the last one.")),
  total_coins: optional(coins(30).description("In gift: what all of them cost.")),
  session_id: optional(id().description("In game_turn.")),
  game: optional(line(1, 40, "ludo").description("In game_turn: the type of the game.")),
}).meta({ name: "NotificationData" });
/** What a notification is about; which ids are there depends on its type. */
export type NotificationData = Infer<typeof notificationData>;

export const notification = object({
  id: id(),
  type: oneOf(...notificationTypes),
  title: Joi.string().example("New follower"),
  body: text(1, 500, "Ada Lovelace follows you."),
  data: notificationData,
  read_at: nullable(time()).description("Null: unread."),
  created_at: time().description("When the newest of what it tells of happened."),
}).meta({ name: "Notification" });
export type Notification = Infer<typeof notification>;

export const unreadCount = object({ unread_count: count(3) });
