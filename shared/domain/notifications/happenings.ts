import type { DomainEvents } from "#shared/contracts/domain-events.ts";
import type { NotificationData, NotificationSetting, NotificationType } from "#shared/contracts/views.ts";

/** Something that somebody may be told of. */
export interface Happening {
  readonly type: NotificationType;
  /** The setting of the receiver that must be on, if one turns it off. */
  readonly setting: NotificationSetting | null;
  readonly actorId: string;
  /** Names it: whoever was told of it is not told again, also when it comes about anew (a like taken back and given again). */
  readonly eventKey: string;
  /** What it grows while that is unread. */
  readonly groupKey: string;
  readonly data: Omit<NotificationData, "user" | "count" | "total_coins">;
  readonly coins?: number;
  /** Also what only lets an unread one grow is pushed to phones: it asks to be acted on now. */
  readonly pushedAgain?: boolean;
}

export interface Told extends Happening {
  readonly receiverId: string;
}

/** Whom each domain event is news for, and what of it. Openings of rooms are told by a job. */
export const notificationFor = {
  "user.followed": ({ follower_id, followed_id }: DomainEvents["user.followed"]) =>
    news("follow", "follows", followed_id, follower_id, `follow:${follower_id}`, "follow", {}),

  "friend.requested": ({ request_id, sender_id, recipient_id }: DomainEvents["friend.requested"]) => {
    const [eventKey, groupKey] = [`friend_request:${request_id}`, `friend_request:${sender_id}`];
    return news("friend_request", "friend_requests", recipient_id, sender_id, eventKey, groupKey, { request_id });
  },

  "friend.accepted": ({ request_id, sender_id, recipient_id }: DomainEvents["friend.accepted"]) => {
    const [eventKey, groupKey] = [`friend_accepted:${request_id}`, `friend_accepted:${recipient_id}`];
    return news("friend_accepted", "friend_requests", sender_id, recipient_id, eventKey, groupKey, { request_id });
  },

  "post.liked": ({ post_id, author_id, user_id }: DomainEvents["post.liked"]) => {
    const [eventKey, groupKey] = [`post_like:${post_id}:${user_id}`, `post_like:${post_id}`];
    return news("post_like", "posts", author_id, user_id, eventKey, groupKey, { post_id });
  },

  "post.commented": ({ post_id, comment_id, author_id, user_id }: DomainEvents["post.commented"]) => {
    const [eventKey, groupKey] = [`post_comment:${comment_id}`, `post_comment:${post_id}`];
    return news("post_comment", "posts", author_id, user_id, eventKey, groupKey, { post_id, comment_id });
  },

  "gift.sent": ({ transaction }: DomainEvents["gift.sent"]): Told => {
    const { id, gift, quantity, total_coins, sender, recipient, room_id } = transaction;
    const { id: gift_id, name, image_url } = gift;
    const data = { transaction_id: id, room_id, quantity, gift: { id: gift_id, name, image_url } };
    return {
      ...news("gift", "gifts", recipient.id, sender.id, `gift:${id}`, `gift:${sender.id}`, data),
      coins: total_coins,
    };
  },
};

function news(
  type: Told["type"],
  setting: Told["setting"],
  receiverId: string,
  actorId: string,
  eventKey: string,
  groupKey: string,
  data: Told["data"],
): Told {
  return { type, setting, receiverId, actorId, eventKey, groupKey, data };
}
