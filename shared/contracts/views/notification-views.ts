import Joi from "joi";
import {
  coins,
  count,
  id,
  integer,
  limits,
  line,
  nullable,
  oneOf,
  text,
  time,
  url,
  view,
} from "#shared/contracts/fields.ts";
import { type UserCard, userCard } from "./user-views.ts";

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

/** What a notification is about; which ids are there depends on its type. */
export interface NotificationData {
  user: UserCard;
  count: number;
  request_id?: string;
  post_id?: string;
  comment_id?: string;
  room_id?: string;
  transaction_id?: string;
  gift?: { id: string; name: string; image_url: string };
  quantity?: number;
  total_coins?: number;
  session_id?: string;
  game?: string;
}

export interface Notification {
  id: string;
  type: NotificationType;
  title: string;
  body: string;
  data: NotificationData;
  read_at: string | null;
  created_at: string;
}

const notificationData = view<NotificationData>({
  user: userCard.description(
    "Who did it; of several, the last. In game_turn: the last player before you whom no block parts from you.",
  ),
  count: integer(1, Number.MAX_SAFE_INTEGER, 1).description(
    "1, or how many came while the notification was unread: followers, likes, comments, gifts of one sender, rooms of one host, turns of one game.",
  ),
  request_id: id().optional().description("In friend_request and friend_accepted."),
  post_id: id().optional().description("In post_like and post_comment."),
  comment_id: id().optional().description("In post_comment: the last one."),
  room_id: id().optional().description("In room_opened and gift: the last one."),
  transaction_id: id().optional().description("In gift: the last one."),
  gift: view<NonNullable<NotificationData["gift"]>>({ id: id(), name: line(1, 60, "Rose"), image_url: url() })
    .optional()
    .description("In gift: the last one."),
  quantity: integer(1, limits.giftQuantityMax, 3).optional().description("In gift: of the last one."),
  total_coins: coins(30).optional().description("In gift: what all of them cost."),
  session_id: id().optional().description("In game_turn."),
  game: line(1, 40, "ludo").optional().description("In game_turn: the type of the game."),
}).meta({ name: "NotificationData" });

export const notification = view<Notification>({
  id: id(),
  type: oneOf(...notificationTypes),
  title: Joi.string().example("New follower"),
  body: text(1, 500, "Ada Lovelace follows you."),
  data: notificationData,
  read_at: nullable(time()).description("Null: unread."),
  created_at: time().description("When the newest of what it tells of happened."),
}).meta({ name: "Notification" });

export const unreadCount = view({ unread_count: count(3) });
