import type { DomainEvent, DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { keyOfEvent } from "#shared/contracts/event-data.ts";
import type { EventPayloads, ServerEvent, ServerPush } from "#shared/contracts/events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import type { EventConsumers } from "#shared/db/outbox-relay.ts";
import { findMedia } from "#shared/domain/base/media/media.queries.ts";
import { beginPaidVip, endRefundedVip, restorePaidVip } from "#shared/domain/money/store/vip-periods.ts";
import { logEvents } from "#shared/domain/operations/events/event-log.ts";
import { isWanted } from "#shared/domain/operations/events/wanted.ts";
import { enqueueHandlers, hasHandlers } from "#shared/domain/operations/extensions/handle-events.ts";
import { memberIds } from "#shared/domain/social/conversations/conversations.policy.ts";
import { scoreComment, scoreGame, scoreGift, scorePost } from "#shared/domain/social/leaderboards/record-scores.ts";
import { clearTurnNotifications, notifyTurn } from "#shared/domain/social/notifications/notify-turn.ts";
import {
  notifyFollowers,
  notifyOfAgency,
  notifyOfAppeal,
  notifyOfComment,
  notifyOfContract,
  notifyOfEnd,
  notifyOfFollow,
  notifyOfFriendRequest,
  notifyOfFriendship,
  notifyOfGift,
  notifyOfLike,
  notifyOfMention,
  notifyOfRemoval,
  notifyOfReversal,
  notifyOfSanction,
  notifyOfSeller,
  notifyOfStockRefund,
  sendMessageAlerts,
} from "#shared/domain/social/notifications/record-notifications.ts";
import {
  withdrawComment,
  withdrawFollow,
  withdrawFriendRequest,
  withdrawInvitation,
  withdrawLike,
  withdrawPost,
} from "#shared/domain/social/notifications/withdraw.ts";
import { engine } from "../engine.ts";
import { reactionsOfExtensions } from "./extension-reactions.ts";
import { notifyRoom } from "./notify-room.ts";
import {
  conversation,
  endGamesOfRoom,
  idOf,
  lobby,
  notifyRoomOf,
  pushLobby,
  pushNotifications,
  pushPresence,
  pushWithdrawal,
  removeUser,
  room,
  separateUsers,
  type Target,
  user,
} from "./targets.ts";

/**
 * What is written because of an event. Neither this nor the pushes wait for each other. If it can't be written, only
 * other events with the same key wait: see `event-kinds.ts`.
 */
interface Recorded<T extends Topic> {
  /** In the order of features. Each gets several events at once, and writes what follows from each of them once. */
  readonly record: readonly Recorder<T>[];
}

/** Which live actors and connected users are notified. */
interface Pushed<T extends Topic> {
  /** Each target gets its events in the order of the commits, and waits for no other target. */
  readonly to: (payload: DomainEvents[T]) => readonly Target[];
  /** Notifies one target, by its ID. May run twice. A throw makes it run again. */
  readonly push: (payload: DomainEvents[T], id: string) => Promise<void> | void;
  /** The same with a batch of events that wait for the target, for less than one after the other costs. */
  readonly pushBatch?: (payloads: readonly DomainEvents[T][], id: string) => Promise<void>;
}

type Reaction<T extends Topic> = Partial<Recorded<T>> & (Pushed<T> | { readonly [P in keyof Pushed<T>]?: never });

/** Pushes to a user, or to those who are the members of a group by now: one delivery, however many they are. */
async function pushToTarget(id: string, conversationId: string, push: ServerPush): Promise<void> {
  engine().fanout.toUsers(id === conversationId ? await memberIds(id) : [id], push);
}

interface Audience {
  readonly conversation_id: string;
  readonly user_ids?: readonly string[];
  readonly to_members?: boolean;
}

/** Pushes an event to the users and the group that it names, with everything else that it has. */
const toThose = <E extends ServerEvent, Payload extends EventPayloads[E]>(event: E) => ({
  to: ({ user_ids = [], to_members, conversation_id }: Audience) => [
    ...user_ids.map(user),
    ...(to_members ? [conversation(conversation_id)] : []),
  ],
  push: ({ user_ids: _, to_members: __, ...payload }: Payload & Audience, id: string) =>
    pushToTarget(id, payload.conversation_id, { event, payload } as unknown as ServerPush),
});

/**
 * What follows from each domain event. A topic, the actor's action and the client's event have one stem (`dm.read` is
 * `dm:read`) where they are the same thing. Where the client's event has another name, the line says so.
 */
const reactions: { readonly [T in Topic]: Reaction<T> } = {
  // Shown as gift:animation.
  "gift.sent": {
    record: [scoreGift, notifyOfGift],
    to: ({ transaction }) => [room(transaction.room_id)],
    push: (gift, roomId) => notifyRoom(roomId, "gift:sent", gift),
    pushBatch: (gifts, roomId) =>
      notifyRoom(roomId, "gifts:sent", { transactions: gifts.map(({ transaction }) => transaction) }),
  },

  // Only for the operator's servers.
  "user.registered": {},
  "user.reactivated": {},
  "user.erased": {},
  "sanction.lifted": {},
  "report.filed": {},
  "ticket.opened": {},
  "subscription.updated": {},
  "kyc.decided": {},
  "payout.updated": {},

  "user.suspended": { to: ({ user_id }) => [user(user_id)], push: removeUser },
  "user.deletion_requested": { to: ({ user_id }) => [user(user_id)], push: removeUser },
  // Shown as room:member_updated.
  "user.card_changed": {
    to: ({ user_id }) => [user(user_id)],
    push: (changed) => notifyRoomOf("user:card_changed", changed),
  },
  // Shown as presence:update.
  "user.privacy_changed": { to: ({ user_id }) => [user(user_id)], push: pushPresence },
  "user.followed": { record: [notifyOfFollow] },
  "user.unfollowed": { record: [withdrawFollow] },
  // Shown as room:kicked and lobby:updated.
  "user.blocked": { to: ({ blocker_id }) => [user(blocker_id)], push: separateUsers },

  "friend.requested": { record: [notifyOfFriendRequest] },
  "friend.request_cancelled": { record: [withdrawFriendRequest] },
  "user.silenced": { to: ({ user_id }) => [user(user_id)], push: removeUser },
  "user.sanctioned": { record: [notifyOfSanction] },
  "content.removed": { record: [notifyOfRemoval] },
  "appeal.decided": { record: [notifyOfAppeal] },
  "friend.accepted": { record: [notifyOfFriendship] },

  "seller.transferred": { record: [notifyOfSeller] },
  "seller.reversed": { record: [notifyOfReversal] },
  "seller.refunded": { record: [notifyOfStockRefund] },
  "agency.invited": { record: [notifyOfAgency] },
  "agency.invitation_withdrawn": { record: [withdrawInvitation] },
  "contract.started": { record: [notifyOfContract] },
  "contract.ending": { record: [notifyOfEnd] },

  "dm.new": {
    record: [sendMessageAlerts],
    to: ({ message, recipient_id }) =>
      recipient_id === null ? [conversation(message.conversation_id)] : [user(message.sender_id), user(recipient_id)],
    push: ({ message }, id) => {
      const { conversation_id } = message;
      return pushToTarget(id, conversation_id, { event: "dm:new", payload: { conversation_id, message } });
    },
  },
  "dm.shadowed": {
    to: ({ message }) => [user(message.sender_id)],
    push: ({ message }, id) =>
      engine().fanout.toUsers([id], {
        event: "dm:new",
        payload: { conversation_id: message.conversation_id, message },
      }),
  },
  "dm.read": {
    to: ({ reader_id, peer_id, conversation_id }) =>
      peer_id === null ? [conversation(conversation_id)] : [user(reader_id), user(peer_id)],
    push: ({ peer_id: _, ...payload }, id) => pushToTarget(id, payload.conversation_id, { event: "dm:read", payload }),
  },

  // Shown as message:updated and message:reacted.
  "dm.updated": toThose("message:updated"),
  "dm.reacted": toThose("message:reacted"),
  "dm.deleted": toThose("dm:deleted"),
  "conversation.updated": toThose("conversation:updated"),

  "order.paid": { record: [beginPaidVip] },
  "order.refunded": { record: [endRefundedVip] },
  "order.restored": { record: [restorePaidVip] },
  "dispute.opened": {},
  "dispute.won": {},
  "dispute.lost": {},

  "post.created": { record: [scorePost] },
  "post.deleted": { record: [withdrawPost] },
  "post.liked": { record: [notifyOfLike] },
  "post.unliked": { record: [withdrawLike] },
  "post.comment_deleted": { record: [withdrawComment] },
  "post.commented": { record: [scoreComment, notifyOfComment] },

  "lobby.updated": { to: ({ lobby_id }) => [lobby(lobby_id)], push: pushLobby },
  "game.finished": { record: [scoreGame, clearTurnNotifications] },
  "game.turn_waits": { record: [notifyTurn] },

  "room.opened": { record: [notifyFollowers] },
  "room.mentioned": { record: [notifyOfMention] },
  // Shown as room:message_deleted.
  "room.message_removed": {
    to: ({ room_id }) => [room(room_id)],
    push: ({ room_id: _, ...removed }, roomId) => notifyRoom(roomId, "message:removed", removed),
  },
  "room.closed": { to: ({ room_id }) => [room(room_id)], push: endGamesOfRoom },

  "content.decided": {
    to: ({ user_id }) => [user(user_id)],
    push: ({ user_id, ...payload }) => engine().fanout.toUsers([user_id], { event: "content:decided", payload }),
  },

  "media.updated": {
    to: ({ user_id }) => [user(user_id)],
    push: async ({ media_id }, userId) => {
      const media = await findMedia(media_id);
      if (media) engine().fanout.toUsers([userId], { event: "media:updated", payload: { media } });
    },
  },

  "notification.new": { to: ({ user_id }) => [user(user_id)], push: pushNotifications },
  "notification.withdrawn": { to: ({ user_id }) => [user(user_id)], push: pushWithdrawal },
};

/** Those that extensions publish have reactions of their own. */
const reactionTo = <T extends Topic>(topic: T): Reaction<T> =>
  reactions[topic] ?? (reactionsOfExtensions.get(topic) as Reaction<T> | undefined) ?? {};

/** Reacts to domain events: see the table. */
export const eventConsumers: EventConsumers = {
  routeOf: <T extends Topic>({ topic, payload }: DomainEvent<T>) => {
    const reaction = reactionTo(topic);
    const isRecorded = reaction.record !== undefined || isWanted(topic) || hasHandlers(topic);
    return { recordFor: isRecorded ? keyOfEvent(topic, payload) : undefined, pushTo: reaction.to?.(payload) ?? [] };
  },
  record: async (tx, topic, payloads) => {
    for (const record of reactionTo(topic).record ?? []) await record(tx, payloads);
    await enqueueHandlers(tx, topic, payloads);
  },
  log: logEvents,
  push: <T extends Topic>({ topic, payload }: DomainEvent<T>, target: string) =>
    reactionTo(topic).push?.(payload, idOf(target)),
  pushBatch: (topic) => {
    const { pushBatch } = reactionTo(topic);
    return pushBatch && ((payloads, target) => pushBatch(payloads, idOf(target)));
  },
};
