import type { DomainEvent, DomainEvents, Recorder, Topic } from "#shared/contracts/domain-events.ts";
import { scoreComment, scoreGame, scoreGift, scorePost } from "#shared/domain/leaderboards/record-scores.ts";
import { clearTurnNotifications, notifyTurn } from "#shared/domain/notifications/notify-turn.ts";
import {
  notifyFollowers,
  notifyOfComment,
  notifyOfFollow,
  notifyOfFriendRequest,
  notifyOfFriendship,
  notifyOfGift,
  notifyOfLike,
  pushMessageToPhone,
} from "#shared/domain/notifications/record-notifications.ts";
import { cutModerators } from "#shared/domain/rooms/cut-moderators.ts";
import { beginPaidVip, endRefundedVip } from "#shared/domain/store/vip-periods.ts";
import { engine } from "../engine.ts";
import { notifyRoom } from "./notify-room.ts";
import {
  endGamesOfRoom,
  notifyRoomOf,
  pushLobby,
  pushNotifications,
  pushPresence,
  removeUser,
  separateUsers,
} from "./targets.ts";

interface Reaction<T extends Topic> {
  /** What is written because of the event, in the order of features. Several events are recorded concurrently. */
  readonly record?: readonly Recorder<T>[];
  /** Which live actors and connected users are notified once that stands, in the order of the commits. */
  readonly push?: (payload: DomainEvents[T]) => Promise<void> | void;
}

/**
 * What follows from each domain event. A topic, the actor's action and the client's event have one stem (`dm.read` is
 * `dm:read`) wherever they are the same thing; where a client sees it by another name, the line says so.
 */
const reactions: { readonly [T in Topic]: Reaction<T> } = {
  // Shown as gift:animation.
  "gift.sent": {
    record: [scoreGift, notifyOfGift],
    push: (gift) => notifyRoom(gift.transaction.room_id, "gift:sent", gift),
  },

  "user.suspended": { push: removeUser },
  "user.deletion_requested": { push: removeUser },
  // Shown as room:member_updated.
  "user.card_changed": { push: (user) => notifyRoomOf("user:card_changed", user) },
  // Shown as presence:update.
  "user.privacy_changed": { push: pushPresence },
  "user.followed": { record: [notifyOfFollow] },
  // Shown as room:kicked and lobby:updated.
  "user.blocked": { record: [cutModerators], push: separateUsers },

  "friend.requested": { record: [notifyOfFriendRequest] },
  "friend.accepted": { record: [notifyOfFriendship] },

  "dm.new": {
    record: [pushMessageToPhone],
    push: ({ message, recipient_id }) => {
      const { conversation_id, sender_id } = message;
      engine().fanout.toUsers([sender_id, recipient_id], { event: "dm:new", payload: { conversation_id, message } });
    },
  },
  "dm.read": {
    push: ({ peer_id, ...payload }) =>
      engine().fanout.toUsers([payload.reader_id, peer_id], { event: "dm:read", payload }),
  },

  "order.paid": { record: [beginPaidVip] },
  "order.refunded": { record: [endRefundedVip] },

  "post.created": { record: [scorePost] },
  "post.liked": { record: [notifyOfLike] },
  "post.commented": { record: [scoreComment, notifyOfComment] },

  "lobby.updated": { push: pushLobby },
  "game.finished": { record: [scoreGame, clearTurnNotifications] },
  "game.turn_waits": { record: [notifyTurn] },

  "room.opened": { record: [notifyFollowers] },
  "room.closed": { push: endGamesOfRoom },

  "notification.new": { push: pushNotifications },
};

const reactionTo = <T extends Topic>(topic: T): Reaction<T> => reactions[topic];

/** Writes what follows from an event. Throws when the event must come again. */
export async function recordEvent<T extends Topic>({ topic, payload }: DomainEvent<T>, id: number): Promise<void> {
  for (const record of reactionTo(topic).record ?? []) await record(payload, id);
}

/** Notifies the clients that an event concerns. Throws if the event must be delivered again. */
export async function pushEvent<T extends Topic>({ topic, payload }: DomainEvent<T>): Promise<void> {
  await reactionTo(topic).push?.(payload);
}
