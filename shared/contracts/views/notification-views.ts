import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  alwaysNull,
  anyObject,
  coins,
  count,
  type Fields,
  flag,
  type Infer,
  type InferFields,
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
  variants,
} from "#shared/contracts/fields.ts";
import { gameName } from "#shared/contracts/games/games.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { removalKinds, removalReason } from "./removal-views.ts";
import { reportTargets } from "./report-views.ts";
import { appealDecided } from "./sanction-views.ts";
import { type UserCard, userCard } from "./user-views.ts";

/** Notifications: what other users did that concerns the user. */

export const notificationTypes = [
  "follow",
  "friend_request",
  "friend_accepted",
  "agency_invited",
  "contract_started",
  "contract_ending",
  "seller_coins",
  "seller_reversed",
  "gift",
  "post_like",
  "post_comment",
  "room_opened",
  "mention",
  "game_turn",
  "ticket_answered",
  "report_closed",
  "warning",
  "sanction",
  "appeal_decided",
  "content_removed",
  "announcement",
  "extension",
] as const;
export type NotificationType = (typeof notificationTypes)[number];

/** The fields of `data` by the type of the notification. Those of a grouped one are of its most recent event. */
const dataFields = {
  follow: {},
  friend_request: { request_id: id(exampleIds.friendRequest) },
  friend_accepted: { request_id: id(exampleIds.friendRequest) },
  agency_invited: { invitation_id: id(exampleIds.agencyInvitation), agency_id: id(exampleIds.agency) },
  contract_started: { contract_id: id(exampleIds.contract), agency_id: id(exampleIds.agency) },
  contract_ending: {
    contract_id: id(exampleIds.contract),
    agency_id: id(exampleIds.agency),
    ends_at: time("2026-03-02T12:00:00.000Z"),
  },
  seller_coins: { transfer_id: id(exampleIds.sellerTransfer), coins: coins(500) },
  seller_reversed: { transfer_id: id(exampleIds.sellerTransfer), coins: coins(500) },
  gift: {
    transaction_id: id(exampleIds.giftTransaction),
    room_id: id(exampleIds.room),
    gift: object({ id: id(exampleIds.gift), name: line(1, 60, "Rose"), image_url: url() }),
    quantity: integer(1, limits.giftQuantityMax, 3),
    total_coins: coins(30).description("The total price of all gifts."),
  },
  post_like: { post_id: id(exampleIds.post) },
  post_comment: { post_id: id(exampleIds.post), comment_id: id(exampleIds.comment) },
  room_opened: { room_id: id(exampleIds.room) },
  mention: { room_id: id(exampleIds.room), message_id: id(exampleIds.roomMessage) },
  game_turn: { session_id: id(exampleIds.gameSession), game: gameName },
  ticket_answered: { ticket_id: id(exampleIds.ticket) },
  report_closed: { report_id: id(exampleIds.report) },
  warning: { target_type: oneOf(...reportTargets).description("What the warning is about.") },
  sanction: { sanction_id: id(exampleIds.sanction), is_warning: flag(false) },
  appeal_decided: appealDecided,
  content_removed: {
    removal_id: id(exampleIds.removal),
    kind: oneOf(...removalKinds),
    reason: optional(removalReason()),
  },
  announcement: { broadcast_id: id(exampleIds.broadcast) },
  extension: {
    extension: line(2, 30, "red_packets").description("The extension of the service that notifies the user."),
    texts: object({ title: text(1, 100, "Red packet"), body: text(1, 500, "{{coins}} coins"), values: anyObject() })
      .description("The texts in English, with placeholders.")
      .meta({ name: "ExtensionTexts" }),
  },
} as const satisfies Record<NotificationType, Fields>;

const sharedData = {
  user: userCard.description(
    "The user who caused the notification, or the most recent of several. In `game_turn`: the last player before you, except players who have blocked you or whom you have blocked.",
  ),
  count: integer(1, Number.MAX_SAFE_INTEGER, 1).description(
    "Number of events that the notification groups while it is unread: followers, likes, comments, gifts from one sender, rooms of one host, or turns in one game.",
  ),
};

const notificationOf = <const Type extends NotificationType, F extends Fields>(type: Type, fields: F) =>
  variantOf(type, { ...sharedData, ...fields });

/** A notification that no user caused. */
const messageOf = <const Type extends NotificationType, F extends Fields>(type: Type, fields: F) =>
  variantOf(type, { user: alwaysNull(), count: integer(1, 1), ...fields });

const variantOf = <const Type extends NotificationType, F extends Fields>(type: Type, fields: F) => {
  const name = `${pascalCase(type)}Notification`;
  return object({
    id: id(exampleIds.notification),
    type: oneOf(type),
    title: Joi.string().example("New follower"),
    body: text(1, 500, "Ada Lovelace followed you."),
    data: object(fields).meta({ name: `${name}Data` }),
    read_at: nullable(time(exampleTime(exampleIds.notification, 95))).description("Null: unread."),
    created_at: time(exampleTime(exampleIds.notification)).description("When the most recent event happened."),
  }).meta({ name });
};

export const notification = variants(
  "type",
  notificationOf("follow", dataFields.follow),
  notificationOf("friend_request", dataFields.friend_request),
  notificationOf("friend_accepted", dataFields.friend_accepted),
  messageOf("agency_invited", dataFields.agency_invited),
  notificationOf("contract_started", dataFields.contract_started),
  messageOf("contract_ending", dataFields.contract_ending),
  notificationOf("seller_coins", dataFields.seller_coins),
  messageOf("seller_reversed", dataFields.seller_reversed),
  notificationOf("gift", dataFields.gift),
  notificationOf("post_like", dataFields.post_like),
  notificationOf("post_comment", dataFields.post_comment),
  notificationOf("room_opened", dataFields.room_opened),
  notificationOf("mention", dataFields.mention),
  notificationOf("game_turn", dataFields.game_turn),
  messageOf("ticket_answered", dataFields.ticket_answered),
  messageOf("report_closed", dataFields.report_closed),
  messageOf("warning", dataFields.warning),
  messageOf("sanction", dataFields.sanction),
  messageOf("appeal_decided", dataFields.appeal_decided),
  messageOf("content_removed", dataFields.content_removed),
  messageOf("announcement", dataFields.announcement),
  messageOf("extension", dataFields.extension),
).meta({ name: "Notification" });
export type Notification = Infer<typeof notification>;

type AllOf<U> = (U extends unknown ? (all: U) => void : never) extends (all: infer All) => void ? All : never;
/**
 * What a notification of any type is about. Which ids it has depends on its type; `user` is null if no user caused it.
 */
export type NotificationData = { user: UserCard | null; count: number } & Partial<
  AllOf<{ [T in NotificationType]: InferFields<(typeof dataFields)[T]> }[NotificationType]>
>;

export const unreadCount = object({ unread_count: count(3) }).meta({ name: "UnreadCount" });
