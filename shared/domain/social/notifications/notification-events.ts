import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { NotificationData, NotificationSetting, NotificationType } from "#shared/contracts/views.ts";

/** An event that a user may be notified of. */
export interface NotificationEvent {
  readonly type: NotificationType;
  /** The receiver's setting that must be on; null if no setting turns it off. */
  readonly setting: NotificationSetting | null;
  /** Who caused it; null if support or the app did. */
  readonly actorId: string | null;
  /**
   * Identifies the event: a receiver is notified of it once, even if it happens again (a like removed and given again).
   */
  readonly eventKey: string;
  /** Events with the same key are added to one notification while it is unread. */
  readonly groupKey: string;
  readonly data: Omit<NotificationData, "user" | "count" | "total_coins">;
  readonly coins?: number;
  /** An event that is added to an unread notification is pushed to phones, too: it requires action now. */
  readonly pushedAgain?: boolean;
}

export interface AddressedEvent extends NotificationEvent {
  readonly receiverId: string;
}

/** The keys of the notifications about a post. */
export const postGroups = {
  likes: (postId: string) => `post_like:${postId}`,
  comments: (postId: string) => `post_comment:${postId}`,
};

/** The keys of events that can be withdrawn. */
const keys = {
  follow: (followerId: string) => `follow:${followerId}`,
  friendRequest: (requestId: string) => `friend_request:${requestId}`,
  like: (postId: string, userId: string) => `post_like:${postId}:${userId}`,
  agencyInvitation: (invitationId: string) => `agency_invited:${invitationId}`,
  comment: (commentId: string) => `post_comment:${commentId}`,
};

/** Maps each domain event to the notification that it causes. A job handles opened rooms. */
export const notificationFor = {
  "user.followed": ({ follower_id, followed_id }: DomainEvents["user.followed"]) =>
    eventFor("follow", "follows", followed_id, follower_id, keys.follow(follower_id), "follow", {}),

  "friend.requested": ({ request_id, sender_id, recipient_id }: DomainEvents["friend.requested"]) => {
    const [eventKey, groupKey] = [keys.friendRequest(request_id), `friend_request:${sender_id}`];
    return eventFor("friend_request", "friend_requests", recipient_id, sender_id, eventKey, groupKey, { request_id });
  },

  "friend.accepted": ({ request_id, sender_id, recipient_id }: DomainEvents["friend.accepted"]) => {
    const [eventKey, groupKey] = [`friend_accepted:${request_id}`, `friend_accepted:${recipient_id}`];
    return eventFor("friend_accepted", "friend_requests", sender_id, recipient_id, eventKey, groupKey, { request_id });
  },

  "post.liked": ({ post_id, author_id, user_id }: DomainEvents["post.liked"]) => {
    const [eventKey, groupKey] = [keys.like(post_id, user_id), postGroups.likes(post_id)];
    return eventFor("post_like", "posts", author_id, user_id, eventKey, groupKey, { post_id });
  },

  "post.commented": ({ post_id, comment_id, author_id, user_id }: DomainEvents["post.commented"]) => {
    const [eventKey, groupKey] = [keys.comment(comment_id), postGroups.comments(post_id)];
    return eventFor("post_comment", "posts", author_id, user_id, eventKey, groupKey, { post_id, comment_id });
  },

  "room.mentioned": ({ room_id, message_id, by, user_id }: DomainEvents["room.mentioned"]) => {
    const [eventKey, groupKey] = [`mention:${message_id}`, `mention:${room_id}:${by}`];
    return eventFor("mention", "messages", user_id, by, eventKey, groupKey, { room_id, message_id });
  },

  "user.sanctioned": ({ user_id, ...data }: DomainEvents["user.sanctioned"]) =>
    serviceEvent("sanction", user_id, data.sanction_id, data),

  "appeal.decided": ({ user_id, ...data }: DomainEvents["appeal.decided"]) =>
    serviceEvent("appeal_decided", user_id, data.appeal_id, data),

  "content.removed": ({ user_id, ...data }: DomainEvents["content.removed"]) =>
    serviceEvent("content_removed", user_id, data.removal_id, data),

  "seller.transferred": ({ transfer_id, seller_id, recipient_id, coins }: DomainEvents["seller.transferred"]) => {
    const key = `seller_coins:${transfer_id}`;
    return eventFor("seller_coins", null, recipient_id, seller_id, key, key, { transfer_id, coins });
  },

  /** To both: the seller has the coins again, or owes less, and the recipient has lost or owes them. */
  "seller.reversed": ({ reversal_id, transfer_id, seller_id, recipient_id, coins }: DomainEvents["seller.reversed"]) =>
    [seller_id, recipient_id].map((receiverId) =>
      serviceEvent("seller_reversed", receiverId, reversal_id, { transfer_id, coins }),
    ),

  /** The seller sees it in their stock. */
  "seller.refunded": ({ refund_id, transfer_id, recipient_id, coins }: DomainEvents["seller.refunded"]) =>
    serviceEvent("seller_reversed", recipient_id, `${transfer_id}:${refund_id}`, { transfer_id, coins }),

  "agency.invited": ({ user_id, ...data }: DomainEvents["agency.invited"]) =>
    serviceEvent("agency_invited", user_id, data.invitation_id, data),

  "contract.started": ({ owner_id, contract_id, agency_id, host_id }: DomainEvents["contract.started"]) => {
    const key = `contract_started:${contract_id}`;
    return eventFor("contract_started", null, owner_id, host_id, key, key, { contract_id, agency_id });
  },

  /** To both: the one who gave notice has it in writing. */
  "contract.ending": ({ host_id, owner_id, contract_id, agency_id, ends_at }: DomainEvents["contract.ending"]) =>
    [host_id, owner_id].map((receiverId) =>
      serviceEvent("contract_ending", receiverId, contract_id, { contract_id, agency_id, ends_at }),
    ),

  "gift.sent": ({ transaction }: DomainEvents["gift.sent"]): AddressedEvent => {
    const { id, gift, quantity, total_coins, sender, recipient, room_id } = transaction;
    const { id: gift_id, name, image_url } = gift;
    const data = { transaction_id: id, room_id, quantity, gift: { id: gift_id, name, image_url } };
    return {
      ...eventFor("gift", "gifts", recipient.id, sender.id, `gift:${id}`, `gift:${sender.id}`, data),
      coins: total_coins,
    };
  },
};

/** An event of a receiver that no longer stands. */
export interface Withdrawal {
  readonly receiverId: string;
  readonly eventKey: string;
}

/** Maps each domain event that takes back another one to what it withdraws. */
export const withdrawalFor = {
  "user.unfollowed": ({ follower_id, followed_id }: DomainEvents["user.unfollowed"]): Withdrawal => ({
    receiverId: followed_id,
    eventKey: keys.follow(follower_id),
  }),

  "friend.request_cancelled": ({ request_id, recipient_id }: DomainEvents["friend.request_cancelled"]): Withdrawal => ({
    receiverId: recipient_id,
    eventKey: keys.friendRequest(request_id),
  }),

  "agency.invitation_withdrawn": ({
    invitation_id,
    user_id,
  }: DomainEvents["agency.invitation_withdrawn"]): Withdrawal => ({
    receiverId: user_id,
    eventKey: keys.agencyInvitation(invitation_id),
  }),

  "post.unliked": ({ post_id, author_id, user_id }: DomainEvents["post.unliked"]): Withdrawal => ({
    receiverId: author_id,
    eventKey: keys.like(post_id, user_id),
  }),

  "post.comment_deleted": ({ comment_id, author_id }: DomainEvents["post.comment_deleted"]): Withdrawal => ({
    receiverId: author_id,
    eventKey: keys.comment(comment_id),
  }),
};

/**
 * What withdraws the notifications of each type. Null: the event can't be undone, such as a gift. Turns in a
 * game are marked as read at its end instead.
 */
export const withdrawnBy: { readonly [T in NotificationType]: keyof typeof withdrawalFor | null } = {
  follow: "user.unfollowed",
  friend_request: "friend.request_cancelled",
  friend_accepted: null,
  agency_invited: "agency.invitation_withdrawn",
  contract_started: null,
  contract_ending: null,
  seller_coins: null,
  seller_reversed: null,
  gift: null,
  post_like: "post.unliked",
  post_comment: "post.comment_deleted",
  room_opened: null,
  mention: null,
  game_turn: null,
  ticket_answered: null,
  report_closed: null,
  warning: null,
  sanction: null,
  appeal_decided: null,
  content_removed: null,
  announcement: null,
  extension: null,
};

/** An event that no user caused, and no setting turns off. */
function serviceEvent(
  type: AddressedEvent["type"],
  receiverId: string,
  id: string,
  data: AddressedEvent["data"],
): AddressedEvent {
  const key = `${type}:${id}`;
  return { type, setting: null, receiverId, actorId: null, eventKey: key, groupKey: key, data };
}

function eventFor(
  type: AddressedEvent["type"],
  setting: AddressedEvent["setting"],
  receiverId: string,
  actorId: string,
  eventKey: string,
  groupKey: string,
  data: AddressedEvent["data"],
): AddressedEvent {
  return { type, setting, receiverId, actorId, eventKey, groupKey, data };
}
