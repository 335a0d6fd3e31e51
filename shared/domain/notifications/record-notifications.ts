import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { notificationFor, type Told } from "./happenings.ts";
import { askForPush } from "./push-notifications.ts";
import { tell } from "./tell.ts";
import { askToTellFollowers } from "./tell-followers.ts";

/** Notifies users of what others did, once for each event however often it is delivered. */
const notifying =
  <T extends Topic>(toldOf: (payload: DomainEvents[T]) => Told) =>
  (payload: DomainEvents[T]): Promise<void> => {
    const told = toldOf(payload);
    return inTransaction((tx) => tell(tx, told, [told.receiverId]));
  };

export const notifyOfFollow = notifying<"user.followed">(notificationFor["user.followed"]);
export const notifyOfFriendRequest = notifying<"friend.requested">(notificationFor["friend.requested"]);
export const notifyOfFriendship = notifying<"friend.accepted">(notificationFor["friend.accepted"]);
export const notifyOfLike = notifying<"post.liked">(notificationFor["post.liked"]);
export const notifyOfComment = notifying<"post.commented">(notificationFor["post.commented"]);
export const notifyOfGift = notifying<"gift.sent">(notificationFor["gift.sent"]);

export const notifyFollowers = ({ room_id }: DomainEvents["room.opened"]): Promise<void> =>
  inTransaction((tx) => askToTellFollowers(tx, room_id));

/** Messages have their own list, the inbox: they are only pushed to phones. */
export const pushMessageToPhone = ({ message, recipient_id }: DomainEvents["dm.new"]): Promise<void> =>
  askForPush(recipient_id, { message_id: message.id }, message.id);
