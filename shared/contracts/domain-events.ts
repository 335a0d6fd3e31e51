import type { GameName } from "./games/games.ts";
import type {
  AppealDecided,
  ContentDecided,
  DirectMessage,
  GiftTransaction,
  GroupCard,
  MemberChange,
  Order,
  PayoutStatus,
  ProviderName,
  ReactionCount,
  RemovalKind,
  Report,
  SubscriptionStatus,
} from "./views.ts";

/**
 * Domain events: what has happened, written to the outbox in the transaction that made it true, delivered at least once
 * after the commit. One that clients are shown by an event of their own has its name: `dm.read` is `dm:read`.
 */
export interface DomainEvents {
  "gift.sent": { transaction: GiftTransaction };
  /** An account was created, by whichever way in. */
  "user.registered": { user_id: string; is_guest: boolean };
  "user.suspended": { user_id: string };
  /** A suspension was lifted, or its time is over. */
  "user.reactivated": { user_id: string };
  /** A sanction keeps the user from speaking, or out: they leave their room. */
  "user.silenced": { user_id: string };
  /** Something was taken from the user, or they are warned. */
  "user.sanctioned": { user_id: string; sanction_id: string; is_warning: boolean };
  /** A sanction was lifted before its end. */
  "sanction.lifted": { user_id: string; sanction_id: string };
  /** Something that the user wrote was taken from view, or refused by a review. */
  "content.removed": { user_id: string; removal_id: string; kind: RemovalKind; reason?: string };
  "appeal.decided": AppealDecided & { user_id: string };
  /** The user asked for their account to be deleted. Others no longer see them, unless they log in again in time. */
  "user.deletion_requested": { user_id: string };
  /** Everything of the user's was erased: only the ID is left. */
  "user.erased": { user_id: string };
  /** The user shows their presence or room from now on, or hides it. May repeat what was so. */
  "user.privacy_changed": { user_id: string };
  /** A new follow. Unfollowing and following again publishes it again. */
  "user.followed": { follower_id: string; followed_id: string };
  /** A follow ended: by the follower, or because one of the two blocked the other. */
  "user.unfollowed": { follower_id: string; followed_id: string };
  /** A new block. Follows, friendship and requests between the two are gone. */
  "user.blocked": { blocker_id: string; blocked_id: string };
  "friend.requested": { request_id: string; sender_id: string; recipient_id: string };
  /** A pending request ended: its sender took it back, or one of the two blocked the other. */
  "friend.request_cancelled": { request_id: string; sender_id: string; recipient_id: string };
  /** `recipient_id` accepted the request of `sender_id`. */
  "friend.accepted": { request_id: string; sender_id: string; recipient_id: string };
  /** A user was invited to be a host of an agency. */
  "agency.invited": { invitation_id: string; agency_id: string; user_id: string };
  "agency.invitation_withdrawn": { invitation_id: string; agency_id: string; user_id: string };
  /** A host accepted the invitation of an agency. */
  "contract.started": { contract_id: string; agency_id: string; host_id: string; owner_id: string };
  /** The host or the agency gave notice, or an administrator ends it at once. */
  "contract.ending": { contract_id: string; agency_id: string; host_id: string; owner_id: string; ends_at: string };
  /** A post was published, for everyone or for its author's followers. */
  "post.created": { post_id: string; author_id: string; visibility: "public" | "followers" };
  /** A post of `author_id` is no longer shown: they have deleted it, or an administrator has hidden or removed it. */
  "post.deleted": { post_id: string; author_id: string };
  /** `user_id` liked a post of `author_id`, who may be the same. Unliking and liking again publishes it again. */
  "post.liked": { post_id: string; author_id: string; user_id: string };
  /** `user_id` took back their like of a post of `author_id`, who may be the same. */
  "post.unliked": { post_id: string; author_id: string; user_id: string };
  /** `user_id` wrote a comment on a post of `author_id`, who may be the same. */
  "post.commented": { post_id: string; comment_id: string; author_id: string; user_id: string };
  /** A comment of `user_id` on a post of `author_id`, who may be the same, was deleted by one of the two. */
  "post.comment_deleted": { post_id: string; comment_id: string; author_id: string; user_id: string };
  /**
   * A message of `message.sender_id` to `recipient_id`, or to a group if that is null, is stored. A repeated send
   * publishes nothing.
   */
  "dm.new": { message: DirectMessage; recipient_id: string | null };
  /** Its author sees a direct message as sent, and no other user does. */
  "dm.shadowed": { message: DirectMessage };
  /** `reader_id` marked as read what `peer_id` wrote, or the members of a group, and something was unread. */
  "dm.read": { conversation_id: string; reader_id: string; peer_id: string | null; read_at: string };
  /** A direct message was edited. */
  "dm.updated": ConversationAudience & { message_id: string; body: string; edited_at: string; by: string };
  /** The reactions to a direct message have changed. */
  "dm.reacted": ConversationAudience & { message_id: string; reactions: ReactionCount[] };
  /** A direct message was deleted. */
  "dm.deleted": ConversationAudience & { message_id: string; by: string };
  /** The pins of a conversation have changed, or a group, or who is in it: what is given. */
  "conversation.updated": ConversationAudience & {
    pinned_ids?: string[];
    group?: GroupCard;
    members?: MemberChange[];
  };
  /** An order was paid. It may have been refunded since: read the order. */
  "order.paid": { order_id: string; user_id: string; kind: Order["kind"] };
  /** An order was refunded in full. */
  "order.refunded": { order_id: string; user_id: string; kind: Order["kind"] };
  /** The refund of an order that was refunded in full was reversed: it is paid again. Read the order. */
  "order.restored": { order_id: string; user_id: string; kind: Order["kind"] };
  /** A payer's bank has taken the money of an order back. What it bought was taken back, too. */
  "dispute.opened": Dispute;
  /** The bank decided for us: what the dispute took was given back. */
  "dispute.won": Dispute;
  /** The bank decided for the payer, or we didn't answer. */
  "dispute.lost": Dispute;
  /** A subscription began, was renewed, or changed its state: read the subscription. */
  "subscription.updated": { subscription_id: string; user_id: string; status: SubscriptionStatus };
  /** A provider, or an administrator, has found who the user is, or takes it back: level 0. */
  "kyc.decided": { user_id: string; status: "approved" | "rejected"; level: number };
  /** A payout was requested, or its state changed: read the payout. */
  "payout.updated": { payout_id: string; user_id: string; status: PayoutStatus };
  /** A coin seller passed coins on, or an administrator took them back. */
  "seller.transferred": SellerMove;
  "seller.reversed": SellerMove & { reversal_id: string };
  /** A refund of a seller's stock took coins back from a recipient's wallet. */
  "seller.refunded": SellerMove & { refund_id: string };
  /** A user reported another, or what is theirs. */
  "report.filed": Pick<Report, "target_type" | "target_id"> & {
    report_id: string;
    reporter_id: string;
    target_user_id: string;
  };
  /** A support ticket was opened; without a login, it belongs to no account. */
  "ticket.opened": { ticket_id: string; user_id: string | null };
  /** The user's card has changed: it must be read again where it is kept. */
  "user.card_changed": { user_id: string };
  /** Something that was held is shown from now on, as `content_id`, or never. */
  "content.decided": ContentDecided & { user_id: string };
  /** What a user uploaded is ready, or was rejected. */
  "media.updated": { media_id: string; user_id: string };
  /** A lobby was created, started or cancelled, or its players have changed. */
  "lobby.updated": { lobby_id: string };
  /** A game ended. */
  "game.finished": {
    session_id: string;
    lobby_id: string;
    type: GameName;
    status: "finished" | "abandoned";
    standings: { user_id: string; score: number; place: number | null }[];
  };
  /** It is the turn of a player without a connection. */
  "game.turn_waits": { session_id: string; type: GameName; user_id: string; version: number };
  /** A room was created. */
  "room.opened": { room_id: string; host_id: string };
  /** `by` mentioned a user in a chat message. */
  "room.mentioned": { room_id: string; message_id: string; by: string; user_id: string };
  /** An administrator removed a chat message of `by`, its author. */
  "room.message_removed": { room_id: string; message_id: string; by: string };
  /** A room was closed. Its lobbies and games end. */
  "room.closed": { room_id: string };
  /** These notifications of a user were created or updated. */
  "notification.new": { user_id: string; notification_ids: string[] };
  /** A notification of a user is gone, because what it was about was withdrawn. */
  "notification.withdrawn": { user_id: string; notification_id: string };
}

interface Dispute {
  order_id: string;
  user_id: string;
  kind: Order["kind"];
  provider: ProviderName;
  /** The provider's ID of the dispute. */
  provider_refund_id: string;
  /** What was disputed, minor units. */
  amount: number;
  currency: string;
}

interface SellerMove {
  transfer_id: string;
  seller_id: string;
  recipient_id: string;
  coins: number;
}

/** Whom an event of a conversation is shown to: users, or the members that a group has by then, or both. */
interface ConversationAudience {
  conversation_id: string;
  user_ids?: string[];
  to_members?: boolean;
}

export type Topic = keyof DomainEvents;

export type DomainEvent<T extends Topic = Topic> = {
  [P in T]: { readonly topic: P; readonly payload: DomainEvents[P] };
}[T];
