import type { DirectMessage, GiftTransaction, Order } from "./views.ts";

/**
 * What has happened, in the past tense: written to the outbox in the transaction that made it true, delivered at least
 * once after the commit.
 */
export interface Facts {
  "gift.sent": { transaction: GiftTransaction };
  "user.suspended": { user_id: string };
  /** Somebody wants his account to be deleted: he is gone for others, until he takes it back by logging in. */
  "user.deletion_requested": { user_id: string };
  /** Somebody shows his presence or his room from here on, or does not; or has said so again. */
  "user.privacy_changed": { user_id: string };
  /** Somebody follows somebody who did not before; taking it back and following again tells again. */
  "user.followed": { follower_id: string; followed_id: string };
  /** The two have nothing to do with each other from here on: follows, friendship and requests between them are gone. */
  "user.blocked": { blocker_id: string; blocked_id: string };
  "friend.requested": { request_id: string; sender_id: string; recipient_id: string };
  /** `sender_id` is who had asked, `recipient_id` who has accepted. */
  "friend.accepted": { request_id: string; sender_id: string; recipient_id: string };
  /** A post is there to be read, by everybody or by its author's followers. */
  "post.created": { post_id: string; author_id: string; visibility: "public" | "followers" };
  /** `user_id` likes a post of `author_id`, who may be the same; taking it back and liking again tells again. */
  "post.liked": { post_id: string; author_id: string; user_id: string };
  /** `user_id` wrote a comment on a post of `author_id`, who may be the same. */
  "post.commented": { post_id: string; comment_id: string; author_id: string; user_id: string };
  /** A message of `message.sender_id` to `recipient_id` is stored; a message sent again tells nothing again. */
  "dm.new": { message: DirectMessage; recipient_id: string };
  /** `reader_id` has marked read what `peer_id` wrote to him, and there was something that was not. */
  "dm.read": { conversation_id: string; reader_id: string; peer_id: string; read_at: string };
  /** The money for an order was taken. It may have been given back since: read the order. */
  "order.paid": { order_id: string; user_id: string; kind: Order["kind"] };
  /** All of the money for an order was given back. */
  "order.refunded": { order_id: string; user_id: string; kind: Order["kind"] };
  /** What others see of somebody is another than before: his card must be read again where it is kept. */
  "user.card_changed": { user_id: string };
  /** A lobby was opened, filled, emptied, started or cancelled: whoever is in it, or in its room, is told. */
  "lobby.updated": { lobby_id: string };
  /** A game has ended. */
  "game.finished": {
    session_id: string;
    type: string;
    status: "finished" | "abandoned";
    standings: { user_id: string; score: number; place: number | null }[];
  };
  /** It is the turn of a player who has no connection. */
  "game.turn_waits": { session_id: string; type: string; user_id: string; version: number };
  /** A room was made. */
  "room.opened": { room_id: string; host_id: string };
  /** A room is closed, and what belonged to it ends. */
  "room.closed": { room_id: string };
  /** These notifications were made, or have grown. */
  "notification.new": { notification_ids: string[] };
}

export type Topic = keyof Facts;

/**
 * Writes what follows from a domain event for one feature. May get one twice, by the same `id`, and writes the same once.
 */
export type Recorder<T extends Topic> = (payload: Facts[T], id: number) => Promise<void>;

export type Fact<T extends Topic = Topic> = {
  [P in T]: { readonly topic: P; readonly payload: Facts[P] };
}[T];
