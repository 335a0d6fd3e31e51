import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type AddressedEvent, notificationFor } from "./notification-events.ts";
import { notify } from "./notify.ts";
import { requestFollowerNotifications } from "./notify-followers.ts";
import { requestPush } from "./push-notifications.ts";

/** Notifies users of what others did, once for each event however often it is delivered. */
const notifying =
  <T extends Topic>(eventOf: (payload: DomainEvents[T]) => AddressedEvent) =>
  (payload: DomainEvents[T]): Promise<void> => {
    const event = eventOf(payload);
    return inTransaction((tx) => notify(tx, event, [event.receiverId]));
  };

export const notifyOfFollow = notifying<"user.followed">(notificationFor["user.followed"]);
export const notifyOfFriendRequest = notifying<"friend.requested">(notificationFor["friend.requested"]);
export const notifyOfFriendship = notifying<"friend.accepted">(notificationFor["friend.accepted"]);
export const notifyOfLike = notifying<"post.liked">(notificationFor["post.liked"]);
export const notifyOfComment = notifying<"post.commented">(notificationFor["post.commented"]);
export const notifyOfGift = notifying<"gift.sent">(notificationFor["gift.sent"]);

export const notifyFollowers = ({ room_id }: DomainEvents["room.opened"]): Promise<void> =>
  inTransaction((tx) => requestFollowerNotifications(tx, room_id));

/** Messages have their own list, the inbox: they are only pushed to phones. */
export const pushMessageToPhone = ({ message, recipient_id }: DomainEvents["dm.new"]): Promise<void> =>
  requestPush(recipient_id, { message_id: message.id }, message.id);
