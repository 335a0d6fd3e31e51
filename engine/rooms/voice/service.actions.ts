import type { VoiceServiceInputs } from "#shared/contracts/actors.ts";
import type { UserCard } from "#shared/contracts/views.ts";
import { connectedCard } from "#shared/domain/users/user-cards.queries.ts";
import type { Action, Decision } from "./decision.ts";
import { departure, graceMs, memberUpdated, removal } from "./people.actions.ts";
import { cardInRoom, type RoomData } from "./room-data.ts";
import { silence } from "./seats.rules.ts";

const nothing = (): Decision => ({ reply: () => ({}) });

/** A connection is gone. With the last one its user leaves, if he ended it; else he keeps his place for the grace. */
const dropConnection: Action<VoiceServiceInputs["connection:drop"]> = {
  decide: (data, { input: { connection_id, ended }, nowMs }) => {
    const [userId, membership] = [...data.members].find(([, { connections }]) => connections.has(connection_id)) ?? [];
    if (!userId || !membership) return nothing();
    const isLast = membership.connections.size === 1;
    if (ended && isLast) return departure(data, userId, "left");
    const goesOffline = isLast && membership.card.is_online;
    return {
      live: isLast ? { ...data.live, seats: silence(data.live.seats, userId) } : data.live,
      apply: () => {
        membership.connections.delete(connection_id);
        if (isLast) membership.leaveAtMs = nowMs + graceMs;
        if (goesOffline) membership.card = { ...membership.card, is_online: false };
      },
      events: () => (goesOffline ? [memberUpdated(data, userId)] : []),
      reply: () => ({}),
    };
  },
};

const moved: Action<VoiceServiceInputs["user:moved"]> = {
  decide: (data, { input: { user_id, join_id } }) =>
    data.members.get(user_id)?.joinId === join_id ? departure(data, user_id, "moved") : nothing(),
};

const removeUser: Action<VoiceServiceInputs["user:remove"]> = {
  decide: (data, { input: { user_id } }) =>
    data.members.has(user_id) ? departure(data, user_id, "kicked") : nothing(),
};

/** Runs it no more, is told that he is out, and may be a stranger to it: blocks are told to every room of a host. */
const expelUser: Action<VoiceServiceInputs["user:expel"]> = {
  decide: (data, { input: { user_id } }) =>
    data.roleOf(user_id) === null ? nothing() : removal(data, user_id, { reason: "", banned_until: null }),
};

const cardChanged: Action<VoiceServiceInputs["user:card_changed"], UserCard> = {
  prepare: (_data, { input: { user_id } }) => connectedCard(user_id),
  decide: (data, { input: { user_id } }, card) => {
    const membership = data.members.get(user_id);
    if (!membership) return nothing();
    return {
      touchesSeats: data.live.seats.some(({ userId }) => userId === user_id),
      apply: () => {
        membership.card = cardInRoom(card, membership.connections.size > 0);
      },
      events: () => [memberUpdated(data, user_id)],
      reply: () => ({}),
    };
  },
};

const comboPauseMs = 10_000;
const rememberedGifts = 1000;

/** Gifts come from the outbox, which may tell twice: the actor remembers the last ones. */
function giftSent(): Action<VoiceServiceInputs["gift:sent"]> {
  const seen = new Set<string>();
  const combos = new Map<string, { count: number; lastMs: number }>();
  const countCombo = (key: string, nowMs: number): number => {
    const last = combos.get(key);
    const count = last && nowMs - last.lastMs <= comboPauseMs ? last.count + 1 : 1;
    combos.delete(key);
    combos.set(key, { count, lastMs: nowMs });
    for (const old of combos.keys()) {
      if (combos.size <= rememberedGifts) break;
      combos.delete(old);
    }
    return count;
  };
  return {
    decide: (data: RoomData, { input: { transaction }, nowMs }) => {
      if (seen.has(transaction.id)) return nothing();
      const { gift, quantity, total_coins, sender, recipient } = transaction;
      const counts =
        !data.giftsToCome.has(transaction.id) && data.live.seats.some(({ userId }) => userId === recipient.id);
      return {
        touchesSeats: counts,
        apply: () => {
          seen.add(transaction.id);
          if (seen.size > rememberedGifts) seen.delete(seen.values().next().value!);
          if (counts) data.giftsReceived.set(recipient.id, (data.giftsReceived.get(recipient.id) ?? 0) + total_coins);
        },
        events: () => {
          const combo = countCombo(`${sender.id} ${recipient.id} ${gift.id}`, nowMs);
          const payload = { room_id: data.roomId, gift, quantity, total_coins, sender, recipient, combo };
          return [{ event: "gift:animation", payload }];
        },
        reply: () => ({}),
      };
    },
  };
}

/** What is not the room's own, such as a game in it, goes to those who are not told otherwise. */
const tellRoom: Action<VoiceServiceInputs["room:tell"]> = {
  decide: (data, { input: { event, payload, except } }) => {
    const users = [...data.members.keys()].filter((userId) => !except.includes(userId));
    return { events: () => [{ event, payload, users, passing: true }], reply: () => ({}) };
  },
};

/** What the service tells a room; nobody may ask for it. */
export const serviceActions = () => ({
  "connection:drop": dropConnection,
  "user:moved": moved,
  "user:remove": removeUser,
  "user:expel": expelUser,
  "user:card_changed": cardChanged,
  "gift:sent": giftSent(),
  "room:tell": tellRoom,
});
