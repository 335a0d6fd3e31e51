import type Joi from "joi";
import { extended } from "#shared/kernel/extended.ts";
import { agencyEventKinds } from "./agency-event-kinds.ts";
import type { DomainEvents, Topic } from "./domain-events.ts";
import { exampleIds } from "./examples.ts";
import { coins, flag, id, integer, limits, listOf, nullable, object, oneOf, time } from "./fields.ts";
import { gameName } from "./games/games.ts";
import { moneyEventKinds } from "./money-event-kinds.ts";
import * as views from "./views.ts";

/** Events whose data outside are another shape than the payload: IDs instead of what people wrote, and of cards. */
interface Reshaped {
  "gift.sent": {
    transaction_id: string;
    room_id: string;
    sender_id: string;
    recipient_id: string;
    gift_id: string;
    quantity: number;
    total_coins: number;
  };
  "dm.new": { conversation_id: string; message_id: string; sender_id: string; recipient_id: string | null };
  "dm.shadowed": { conversation_id: string; message_id: string; sender_id: string };
}

type Data<T extends Topic> = T extends keyof Reshaped ? Reshaped[T] : DomainEvents[T];

/**
 * A domain event as the operator's servers receive it. Its data are IDs, amounts, and states: nothing that people
 * wrote, so that no copy outside keeps what is erased here. Servers read the rest by its ID.
 */
export type EventKind<T extends Topic = Topic> = {
  /** Rises when a field changes its meaning or goes. New fields don't raise it. */
  readonly version: number;
  /** A sentence without a full stop. */
  readonly summary: string;
  /** The field by which events are ordered: those with the same value arrive in the order of their commits. */
  readonly key: keyof Data<T> & string;
  /** What is shown of the payload. Other fields are left out. */
  readonly fields: { readonly [Name in keyof Data<T>]?: Joi.AnySchema<Data<T>[Name]> };
} & (T extends keyof Reshaped ? { readonly reshape: (payload: DomainEvents[T]) => Data<T> } : object);

const friendRequest = {
  version: 1,
  key: "request_id",
  fields: { request_id: id(exampleIds.friendRequest), sender_id: id(), recipient_id: id(exampleIds.grace) },
} as const;
const post = { version: 1, key: "author_id" } as const;
const postFields = { post_id: id(exampleIds.post), author_id: id() };
const postOfUser = { ...postFields, user_id: id(exampleIds.grace) };
const comment = { ...postOfUser, comment_id: id(exampleIds.comment) };
const userOnly = { version: 1, key: "user_id", fields: { user_id: id() } } as const;
const byUser = { version: 1, key: "user_id" } as const;
const conversation = { version: 1, key: "conversation_id" } as const;
const message = { conversation_id: id(exampleIds.conversation), message_id: id(exampleIds.directMessage) };
const room = { version: 1, key: "room_id" } as const;

/** Every domain event, by its name, as the endpoints and sinks of the operator receive it. */
export const eventKinds: { readonly [T in Topic]: EventKind<T> } = extended("kinds", {
  "gift.sent": {
    version: 1,
    summary: "A gift was sent",
    key: "recipient_id",
    fields: {
      transaction_id: id(exampleIds.giftTransaction),
      room_id: id(exampleIds.room),
      sender_id: id(),
      recipient_id: id(exampleIds.grace),
      gift_id: id(exampleIds.gift),
      quantity: integer(1, limits.giftQuantityMax, 3),
      total_coins: coins(30),
    },
    reshape: ({ transaction: { id: transaction_id, room_id, sender, recipient, gift, quantity, total_coins } }) => ({
      ...{ transaction_id, room_id, sender_id: sender.id, recipient_id: recipient.id, gift_id: gift.id },
      ...{ quantity, total_coins },
    }),
  },

  "user.registered": {
    ...byUser,
    summary: "An account was created, by whichever way in",
    fields: { user_id: id(), is_guest: flag(false) },
  },
  "user.suspended": { ...userOnly, summary: "An account was suspended" },
  "user.reactivated": { ...userOnly, summary: "A suspension ended" },
  "user.silenced": { ...userOnly, summary: "A sanction keeps a user from speaking, or from logging in" },
  "user.sanctioned": {
    ...byUser,
    summary: "A sanction was imposed, or a warning given",
    fields: { user_id: id(), sanction_id: id(exampleIds.sanction), is_warning: flag(false) },
  },
  "sanction.lifted": {
    ...byUser,
    summary: "A sanction was lifted before its end",
    fields: { user_id: id(), sanction_id: id(exampleIds.sanction) },
  },
  "user.deletion_requested": { ...userOnly, summary: "A user asked for the deletion of their account" },
  "user.erased": { ...userOnly, summary: "An account was erased: delete what you keep of it" },
  "user.privacy_changed": { ...userOnly, summary: "A user changed who sees their presence or room" },
  "user.card_changed": { ...userOnly, summary: "A user's name, picture, frame, or VIP changed" },
  "user.followed": {
    version: 1,
    summary: "A user followed another",
    key: "followed_id",
    fields: { follower_id: id(), followed_id: id(exampleIds.grace) },
  },
  "user.unfollowed": {
    version: 1,
    summary: "A follow ended",
    key: "followed_id",
    fields: { follower_id: id(), followed_id: id(exampleIds.grace) },
  },
  "user.blocked": {
    version: 1,
    summary: "A user blocked another",
    key: "blocker_id",
    fields: { blocker_id: id(), blocked_id: id(exampleIds.grace) },
  },
  "friend.requested": { ...friendRequest, summary: "A friend request was sent" },
  "friend.request_cancelled": { ...friendRequest, summary: "A friend request was taken back, or ended by a block" },
  "friend.accepted": { ...friendRequest, summary: "A friend request was accepted" },

  ...agencyEventKinds,

  "content.removed": {
    ...byUser,
    summary: "Something that a user wrote was removed, or refused by a review",
    fields: { user_id: id(), removal_id: id(exampleIds.removal), kind: oneOf(...views.removalKinds) },
  },
  "content.decided": {
    ...byUser,
    summary: "Something that was held is shown, or rejected",
    fields: {
      ...{ user_id: id(), id: id(exampleIds.held), place: oneOf(...views.heldPlaces) },
      target_id: nullable(id(exampleIds.room)),
      content_id: nullable(id(exampleIds.roomMessage)),
      status: oneOf("released", "rejected"),
    },
  },
  "appeal.decided": {
    ...byUser,
    summary: "An appeal was decided",
    fields: { user_id: id(), appeal_id: id(exampleIds.appeal), status: oneOf("upheld", "overturned") },
  },
  "report.filed": {
    version: 1,
    summary: "A user reported another user, or content",
    key: "report_id",
    fields: {
      report_id: id(exampleIds.report),
      reporter_id: id(),
      target_user_id: id(exampleIds.grace),
      target_type: oneOf(...views.reportTargets),
      target_id: id(exampleIds.grace),
    },
  },
  "ticket.opened": {
    version: 1,
    summary: "A support ticket was opened, with or without a login",
    key: "ticket_id",
    fields: { ticket_id: id(exampleIds.ticket), user_id: nullable(id()) },
  },

  "post.created": {
    ...post,
    summary: "A post was published",
    fields: { ...postFields, visibility: oneOf("public", "followers") },
  },
  "post.deleted": { ...post, summary: "A post is no longer shown", fields: postFields },
  "post.liked": { ...post, summary: "A user liked a post", fields: postOfUser },
  "post.unliked": { ...post, summary: "A user took back a like", fields: postOfUser },
  "post.commented": { ...post, summary: "A user commented on a post", fields: comment },
  "post.comment_deleted": { ...post, summary: "A comment was deleted", fields: comment },

  "dm.new": {
    ...conversation,
    summary: "A direct message was sent, to a group if `recipient_id` is null",
    fields: { ...message, sender_id: id(), recipient_id: nullable(id(exampleIds.grace)) },
    reshape: ({ message: { id: message_id, conversation_id, sender_id }, recipient_id }) => ({
      ...{ conversation_id, message_id, sender_id, recipient_id },
    }),
  },
  "dm.shadowed": {
    ...conversation,
    summary: "A direct message was shown to its author only, as spam",
    fields: { ...message, sender_id: id() },
    reshape: ({ message: { id: message_id, conversation_id, sender_id } }) => ({
      ...{ conversation_id, message_id, sender_id },
    }),
  },
  "dm.read": {
    ...conversation,
    summary: "A conversation was marked as read",
    fields: {
      conversation_id: message.conversation_id,
      reader_id: id(exampleIds.grace),
      peer_id: nullable(id()),
      read_at: time("2026-01-31T12:00:00.123Z"),
    },
  },
  "dm.updated": {
    ...conversation,
    summary: "A direct message was edited",
    fields: { ...message, edited_at: time("2026-01-31T12:00:00.123Z"), by: id() },
  },
  "dm.reacted": { ...conversation, summary: "The reactions to a direct message changed", fields: message },
  "dm.deleted": { ...conversation, summary: "A direct message was deleted", fields: { ...message, by: id() } },
  "conversation.updated": {
    ...conversation,
    summary: "A group, its members, or the pins of a conversation changed",
    fields: { conversation_id: message.conversation_id },
  },

  ...moneyEventKinds,

  "room.opened": { ...room, summary: "A room was created", fields: { room_id: id(exampleIds.room), host_id: id() } },
  "room.closed": { ...room, summary: "A room was closed", fields: { room_id: id(exampleIds.room) } },
  "room.mentioned": {
    ...byUser,
    summary: "A user was mentioned in the chat of a room",
    fields: {
      ...{ room_id: id(exampleIds.room), message_id: id(exampleIds.roomMessage) },
      ...{ by: id(), user_id: id(exampleIds.grace) },
    },
  },
  "room.message_removed": {
    ...room,
    summary: "An administrator removed a message of a room's chat",
    fields: { room_id: id(exampleIds.room), message_id: id(exampleIds.roomMessage), by: id() },
  },
  "lobby.updated": {
    version: 1,
    summary: "A lobby was created, started, or cancelled, or its players changed",
    key: "lobby_id",
    fields: { lobby_id: id(exampleIds.lobby) },
  },
  "game.finished": {
    version: 1,
    summary: "A game ended",
    key: "session_id",
    fields: {
      session_id: id(exampleIds.gameSession),
      lobby_id: id(exampleIds.lobby),
      type: gameName,
      status: oneOf("finished", "abandoned"),
      standings: listOf(object({ user_id: id(), score: integer(-1e9, 1e9, 40), place: nullable(integer(1, 100, 1)) })),
    },
  },
  "game.turn_waits": {
    version: 1,
    summary: "It is the turn of a player without a connection",
    key: "session_id",
    fields: {
      session_id: id(exampleIds.gameSession),
      type: gameName,
      ...{ user_id: id(), version: integer(0, Number.MAX_SAFE_INTEGER, 7) },
    },
  },

  "media.updated": {
    ...byUser,
    summary: "An upload is ready, or was rejected",
    fields: { media_id: id(exampleIds.media), user_id: id() },
  },
  "notification.new": {
    ...byUser,
    summary: "A user got notifications, or they changed",
    fields: { user_id: id(), notification_ids: listOf(id(exampleIds.notification)) },
  },
  "notification.withdrawn": {
    ...byUser,
    summary: "A notification is gone, because what it was about was withdrawn",
    fields: { user_id: id(), notification_id: id(exampleIds.notification) },
  },
});
