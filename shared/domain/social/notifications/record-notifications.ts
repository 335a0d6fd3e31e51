import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import { requestMessageMails } from "./mail-notifications.ts";
import { type AddressedEvent, notificationFor } from "./notification-events.ts";
import { notify } from "./notify.ts";
import { requestFollowerNotifications } from "./notify-followers.ts";
import { requestGroupPushes, requestMessagePushes } from "./push-notifications.ts";

/** Notifies users of what others did, once for each event however often it happens. */
const notifying =
  <T extends Topic>(eventOf: (payload: DomainEvents[T]) => AddressedEvent): Recorder<T> =>
  async (tx, payloads) => {
    await notify(tx, payloads.map(eventOf));
  };

export const notifyOfFollow = notifying<"user.followed">(notificationFor["user.followed"]);
export const notifyOfFriendRequest = notifying<"friend.requested">(notificationFor["friend.requested"]);
export const notifyOfFriendship = notifying<"friend.accepted">(notificationFor["friend.accepted"]);
export const notifyOfLike = notifying<"post.liked">(notificationFor["post.liked"]);
export const notifyOfComment = notifying<"post.commented">(notificationFor["post.commented"]);
export const notifyOfMention = notifying<"room.mentioned">(notificationFor["room.mentioned"]);
export const notifyOfGift = notifying<"gift.sent">(notificationFor["gift.sent"]);

export const notifyOfSanction = notifying<"user.sanctioned">(notificationFor["user.sanctioned"]);
export const notifyOfAppeal = notifying<"appeal.decided">(notificationFor["appeal.decided"]);
export const notifyOfRemoval = notifying<"content.removed">(notificationFor["content.removed"]);

export const notifyOfSeller = notifying<"seller.transferred">(notificationFor["seller.transferred"]);
export const notifyOfReversal: Recorder<"seller.reversed"> = async (tx, events) => {
  await notify(tx, events.flatMap(notificationFor["seller.reversed"]));
};

export const notifyOfStockRefund = notifying<"seller.refunded">(notificationFor["seller.refunded"]);

export const notifyOfAgency = notifying<"agency.invited">(notificationFor["agency.invited"]);
export const notifyOfContract = notifying<"contract.started">(notificationFor["contract.started"]);
export const notifyOfEnd: Recorder<"contract.ending"> = async (tx, events) => {
  await notify(tx, events.flatMap(notificationFor["contract.ending"]));
};

export const notifyFollowers: Recorder<"room.opened"> = async (tx, events) => {
  for (const { room_id } of events) await requestFollowerNotifications(tx, room_id);
};

/** Messages have their own list, the inbox: they are only pushed to phones and, of two, emailed. */
export const sendMessageAlerts: Recorder<"dm.new"> = async (tx, events) => {
  const messages = events.flatMap(({ message, recipient_id }) =>
    recipient_id === null ? [] : [{ messageId: message.id, userId: recipient_id }],
  );
  const ofGroups = events.flatMap(({ message, recipient_id }) => (recipient_id === null ? [message.id] : []));
  await requestMessagePushes(tx, messages);
  await requestGroupPushes(tx, ofGroups);
  await requestMessageMails(tx, messages);
};
