import type { GiftTransaction, UserCard } from "#shared/contracts/views.ts";
import { resolveContent } from "#shared/domain/base/messages/message-content.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { connectedCard, findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { quoteOf } from "#shared/domain/live/rooms/messages.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { extensionActions } from "./extension.actions.ts";
import { departure, graceMs, memberUpdated, removal } from "./people.actions.ts";
import type { RoomData } from "./room-data.ts";
import { silence } from "./seats.rules.ts";
import { type Content, messageOf, storeAndPush } from "./store-message.ts";
import type { VoiceActions, VoiceDecision } from "./voice-action.ts";

const nothing = (): VoiceDecision<object> => ({ reply: () => ({}) });

/** Counts gifts that were not shown before for their recipients, and shows them. */
function showGifts(data: RoomData, transactions: readonly GiftTransaction[], nowMs: number): VoiceDecision<object> {
  const gifts = [...new Map(transactions.map((one) => [one.id, one])).values()].filter(({ id }) => !data.gifts.has(id));
  if (gifts.length === 0) return nothing();
  const isSeated = (id: string) => data.live.seats.some(({ userId }) => userId === id);
  const counted = gifts.filter(({ id, recipient }) => !data.pendingGiftIds.has(id) && isSeated(recipient.id));
  return {
    apply: () => {
      for (const { id } of gifts) data.gifts.add(id);
      data.seatsDirty ||= counted.length > 0;
      for (const { total_coins, recipient } of counted)
        data.giftsReceived.set(recipient.id, (data.giftsReceived.get(recipient.id) ?? 0) + total_coins);
    },
    events: () =>
      gifts.flatMap(({ gift, quantity, total_coins, sender, recipient }) => {
        const combo = data.gifts.countCombo(`${sender.id} ${recipient.id} ${gift.id}`, nowMs);
        const payload = { room_id: data.roomId, gift, quantity, total_coins, sender, recipient, combo };
        if (data.crowd.size === 0 || total_coins > setting("merged_gift_coins"))
          return [{ event: "gift:animation" as const, payload }];
        data.gifts.merge(payload);
        return [];
      }),
    reply: () => ({}),
  };
}

/** Actions that only the service can perform, and those of extensions. */
export const serviceActions = {
  ...extensionActions,

  /**
   * A connection closed. If it was the user's last, the user leaves if they closed it; otherwise, they keep their place
   * for the grace period.
   */
  "connection:drop": {
    // Read when the service knows that the connection is gone: the user may be online over another one.
    prepare: (data, { input: { connection_id } }) => {
      const userId = data.holderOf(connection_id);
      return userId === undefined ? Promise.resolve(undefined) : findUserCard(userId);
    },
    decide: (data, { input: { connection_id, ended }, nowMs }, card) => {
      const userId = data.holderOf(connection_id);
      const membership = userId && data.members.get(userId);
      if (!userId || !membership) return nothing();
      const isLast = membership.connections.size === 1;
      if (ended && isLast) return departure(data, userId, "left");
      return {
        next: isLast ? { ...data.live, seats: silence(data.live.seats, userId) } : data.live,
        apply: () => {
          data.disconnect(membership, connection_id);
          if (!isLast) return;
          membership.leaveAtMs = nowMs + graceMs;
          if (card) membership.card = card;
          data.changedMembers.add(userId);
        },
        events: () => (isLast ? memberUpdated(data, userId) : []),
        reply: () => ({}),
      };
    },
  },

  "session:ended": {
    decide: (data, { input: { user_id, session_id } }) => {
      const membership = data.members.get(user_id);
      if (!membership || membership.connections.size > 0) return nothing();
      return [null, session_id].includes(membership.sessionId) ? departure(data, user_id, "left") : nothing();
    },
  },

  /** A connection of a member who joined by REST. `join_id` is compared because they may have left since. */
  "connection:add": {
    prepare: (_data, { input: { user_id } }) => connectedCard(user_id),
    decide: (data, { input: { user_id, join_id, connection } }, card) => {
      const membership = data.members.get(user_id);
      if (membership?.joinId !== join_id) return { reply: () => ({ added: false }) };
      const isFirst = membership.connections.size === 0;
      return {
        apply: () => {
          data.connect(user_id, membership, connection);
          membership.leaveAtMs = null;
          membership.card = card;
          data.changedMembers.add(user_id);
        },
        effects: (effects) => effects.admit(connection),
        events: () => (isFirst ? memberUpdated(data, user_id) : []),
        reply: () => ({ added: true }),
      };
    },
  },

  "user:moved": {
    decide: (data, { input: { user_id, join_id } }) =>
      data.members.get(user_id)?.joinId === join_id ? departure(data, user_id, "moved") : nothing(),
  },

  "user:remove": {
    decide: (data, { input: { user_id } }) =>
      data.members.has(user_id) ? departure(data, user_id, "kicked") : nothing(),
  },

  /** Every room of a host is notified of a block, so the user may be a stranger to this one. */
  "user:expel": {
    decide: (data, { input: { user_id } }) =>
      data.roleOf(user_id) === null ? nothing() : removal(data, user_id, { reason: "", banned_until: null }),
  },

  "user:card_changed": {
    prepare: (data, { input: { user_id } }) =>
      data.members.get(user_id)?.connections.size ? connectedCard(user_id) : findUserCard(user_id),
    decide: (data, { input: { user_id } }, card) => {
      const membership = data.members.get(user_id);
      if (!membership) return nothing();
      return {
        apply: () => {
          data.seatsDirty ||= data.live.seats.some(({ userId }) => userId === user_id);
          membership.card = card;
          data.changedMembers.add(user_id);
        },
        events: () => memberUpdated(data, user_id),
        reply: () => ({}),
      };
    },
  },

  "gift:sent": { decide: (data, { input: { transaction }, nowMs }) => showGifts(data, [transaction], nowMs) },
  "gifts:sent": { decide: (data, { input: { transactions }, nowMs }) => showGifts(data, transactions, nowMs) },

  /** A message that was held: its author may have left by now. */
  "message:release": {
    prepare: async (data, { input: { user_id, message } }): Promise<Content & { user: UserCard }> => {
      const quote = message.reply_to === undefined ? undefined : await quoteOf(data.roomId, message.reply_to);
      const content = await resolveContent(user_id, "room_message", message);
      return { ...content, ...(quote && { quote }), user: await findUserCard(user_id) };
    },
    decide: (data, { input: { message: input }, nowMs }, { user, ...content }) => {
      if ((data.bans.get(user.id) ?? 0) > nowMs) throw new DomainError("FORBIDDEN");
      const message = messageOf(data, { user, input, body: input.body }, content);
      return { reply: (effects) => storeAndPush(data, { message, media: content.media }, effects) };
    },
  },

  "message:removed": {
    decide: (data, { input }) => ({
      events: () => [{ event: "room:message_deleted", payload: { room_id: data.roomId, ...input } }],
      reply: () => ({}),
    }),
  },

  /** Events that are not the room's own, such as those of a game in it. */
  "room:push": {
    decide: (data, { input: { push, except } }) => {
      const users = [...data.members.keys()].filter((userId) => !except.includes(userId));
      return { events: () => [{ ...push, users, passing: true }], reply: () => ({}) };
    },
  },
} satisfies VoiceActions<{
  "connection:drop": UserCard | undefined;
  "connection:add": UserCard;
  "user:card_changed": UserCard;
  "message:release": Content & { user: UserCard };
}>;
