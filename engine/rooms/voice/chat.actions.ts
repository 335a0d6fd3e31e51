import { principalId } from "#shared/contracts/principal.ts";
import type { ReactionCount } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { checkContent, judgeContent } from "#shared/domain/base/filter/check-content.ts";
import { hold, reviewed } from "#shared/domain/base/filter/held-content.ts";
import { hasLink } from "#shared/domain/base/filter/plain-text.ts";
import { assertEditable, resolveContent } from "#shared/domain/base/messages/message-content.ts";
import { assertReaction, type ReactionChange, react } from "#shared/domain/base/messages/reactions.ts";
import { chatLog } from "#shared/domain/live/rooms/chat-log.ts";
import { quoteOf, readMessage, writerOf } from "#shared/domain/live/rooms/messages.queries.ts";
import { deleteMessage, editMessage, pinMessage, unpinMessage } from "#shared/domain/live/rooms/room-steps.ts";
import { noSuchRoom } from "#shared/domain/live/rooms/rooms.errors.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Effects, type Outgoing, userOf } from "../../core/decision.ts";
import { accessMember, accessRunner, accessTarget, assertOutranks } from "./access.ts";
import { maskOwn, mute, refuseOwn, ruleActions } from "./own-rules.ts";
import { type RoomData, whereIn } from "./room-data.ts";
import { type Content, messageOf, pushShadowed, storeAndPush } from "./store-message.ts";
import type { VoiceActions, VoiceAsk, VoiceDecision } from "./voice-action.ts";

const plain: Content = { kind: "text" };

/** @throws FORBIDDEN for a member whose chat is muted, and for links where members may write none */
function assertMaySay(
  data: RoomData,
  { input, nowMs }: VoiceAsk<"room:message" | "message:edit">,
  userId: string,
): void {
  const muted = data.live.chatMutes.find((held) => held.userId === userId && held.untilMs > nowMs);
  if (muted)
    throw new DomainError("FORBIDDEN", "Your chat is muted here until {{time}}.", {
      values: { time: new Date(muted.untilMs).toISOString() },
    });
  if (!data.row.links_allowed && data.roleOf(userId) === "member" && hasLink(input.body))
    throw new DomainError("FORBIDDEN", "Links aren't allowed in this room.");
}

/** @throws FORBIDDEN, RATE_LIMITED, ENGINE_UNAVAILABLE when a member can't write now */
function assertMayWrite(data: RoomData, ask: VoiceAsk<"room:message">, userId: string): void {
  assertMaySay(data, ask, userId);
  if (chatLog.full)
    throw new DomainError("ENGINE_UNAVAILABLE", "Too many messages are being stored.", { retryAfter: 1 });
  if (data.roleOf(userId) !== "member") return;
  const { slow_mode_seconds } = data.row;
  const waitMs = (data.lastWrote.get(userId) ?? 0) + slow_mode_seconds * 1000 - ask.nowMs;
  if (slow_mode_seconds > 0 && waitMs > 0)
    throw new DomainError("RATE_LIMITED", "This room is in slow mode.", { retryAfter: Math.ceil(waitMs / 1000) });
}

/** Members in slow mode: their time is kept from the decision on, so that two at once don't both pass. */
function noteWriting(data: RoomData, userId: string, nowMs: number): void {
  if (data.row.slow_mode_seconds === 0) data.lastWrote.clear();
  else data.lastWrote.set(userId, nowMs);
}

/** Returns the author of a message, for those who may see that it is there. @throws NOT_FOUND */
async function writerFor(data: RoomData, ask: VoiceAsk<"message:delete" | "message:edit">): Promise<string> {
  if (data.roleOf(userOf(ask).userId) === null) throw noSuchRoom();
  const writer = await writerOf(data.roomId, ask.input.message_id);
  if (!writer) throw new DomainError("NOT_FOUND");
  return writer;
}

/** Stores a reaction, and lets the room know soon: a storm of them is a few events. */
async function reactAndGather(
  data: RoomData,
  change: Omit<ReactionChange, "placeId">,
  effects: Effects,
): Promise<{ reactions: ReactionCount[] }> {
  const outcome = await react("room", { ...change, placeId: data.roomId });
  if (outcome === "missing") throw new DomainError("NOT_FOUND", "This message doesn't exist.");
  if (outcome.changed) {
    data.reacted.set(change.messageId, outcome.reactions);
    effects.announceSoon();
  }
  return { reactions: [...outcome.reactions] };
}

const reacting =
  (isOn: boolean) =>
  (
    data: RoomData,
    ask: VoiceAsk<"message:react" | "message:unreact">,
  ): VoiceDecision<{ reactions: ReactionCount[] }> => {
    const { userId } = accessMember(data, ask);
    const { message_id: messageId, emoji } = ask.input;
    if (isOn) assertReaction(emoji);
    return { reply: (effects) => reactAndGather(data, { messageId, userId, emoji, isOn }, effects) };
  };

const pinned = (data: RoomData, message_id: string, by: string, isPinned: boolean): Outgoing => ({
  event: "room:pinned",
  payload: { room_id: data.roomId, message_id, pinned: isPinned, by },
});

export const chatActions = {
  ...ruleActions,
  "room:message": {
    prepare: async (data, { principal, input }): Promise<Content> => {
      // Most messages are plain text: nothing is read for them.
      if (input.body !== "" && !input.media_id && !input.reply_to && (input.kind ?? "text") === "text") return plain;
      const userId = principalId(principal);
      data.memberOf(userId);
      const quote = input.reply_to === undefined ? undefined : await quoteOf(data.roomId, input.reply_to);
      return { ...(await resolveContent(userId, "room_message", input)), ...(quote && { quote }) };
    },
    decide: (data, ask, content) => {
      const { userId, membership } = accessMember(data, ask);
      assertMayWrite(data, ask, userId);
      const refused = refuseOwn(data, userId, { text: ask.input.body, nowMs: ask.nowMs });
      if (refused) return refused;
      const { client_id, mentions = [] } = ask.input;
      const { country } = membership.card;
      const where = { ...whereIn(data), userId, country, mentions: mentions.length };
      const { text, held, alert } = judgeContent("room_message", ask.input.body, where);
      const body = maskOwn(data, userId, text);
      const message = messageOf(data, { user: membership.card, input: ask.input, body }, content);
      noteWriting(data, userId, ask.nowMs);
      const written = { place: "room_message", userId, targetId: data.roomId, text: body } as const;
      if (held) {
        const shown = { kind: message.kind, media: content.media, mentions: message.mentions };
        const kept = { ...written, id: message.id, input: { ...ask.input, body }, clientId: client_id, shown };
        // After the turn: no other member waits for it.
        const keep = () => inTransaction((tx) => hold(tx, kept, held));
        return {
          reply: async (effects) =>
            held.shadowed
              ? pushShadowed(data, { ...message, id: await keep() }, effects)
              : { ...message, id: await keep(), held: true },
        };
      }
      return {
        reply: (effects) =>
          storeAndPush(data, { message, media: content.media, also: reviewed(written, alert) }, effects),
      };
    },
  },

  "message:edit": {
    prepare: writerFor,
    decide: (data, ask, writer) => {
      const { userId, membership } = accessMember(data, ask);
      if (writer !== userId) throw new DomainError("FORBIDDEN", "You can only edit your own messages.");
      assertMaySay(data, ask, userId);
      const { message_id } = ask.input;
      const refused = refuseOwn(data, userId, { text: ask.input.body, nowMs: ask.nowMs });
      if (refused) return refused;
      const checked = checkContent("edit", ask.input.body, {
        ...whereIn(data),
        userId,
        country: membership.card.country,
      });
      const body = maskOwn(data, userId, checked);
      assertEditable(message_id);
      let edited_at = "";
      return {
        durable: async (tx) => {
          edited_at = await editMessage(tx, data.roomId, message_id, body);
        },
        events: () => [
          { event: "message:updated", payload: { room_id: data.roomId, message_id, body, edited_at, by: userId } },
        ],
        reply: () => readMessage(userId, message_id),
      };
    },
  },

  "message:react": { decide: reacting(true) },
  "message:unreact": { decide: reacting(false) },

  "message:pin": {
    decide: (data, ask) => {
      const { userId } = accessRunner(data, ask);
      const { message_id } = ask.input;
      let isNew = false;
      return {
        durable: async (tx) => {
          isNew = await pinMessage(tx, data.roomId, message_id, userId);
        },
        events: () => (isNew ? [pinned(data, message_id, userId, true)] : []),
        reply: () => ({}),
      };
    },
  },

  "message:unpin": {
    decide: (data, ask) => {
      const { userId } = accessRunner(data, ask);
      const { message_id } = ask.input;
      return {
        durable: (tx) => unpinMessage(tx, data.roomId, message_id),
        events: () => [pinned(data, message_id, userId, false)],
        reply: () => ({}),
      };
    },
  },

  "room:heart": {
    decide: (data, ask) => {
      accessMember(data, ask);
      return {
        apply: () => {
          data.hearts += 1;
        },
        reply: () => ({}),
      };
    },
  },

  "room:mute_chat": {
    decide: (data, ask) => {
      const runner = accessRunner(data, ask);
      const { user_id: userId, minutes } = ask.input;
      assertOutranks(data, runner, userId);
      accessTarget(data, userId);
      return { ...mute(data, userId, { minutes, nowMs: ask.nowMs }), reply: () => ({}) };
    },
  },

  "message:delete": {
    prepare: writerFor,
    decide: (data, ask, writer) => {
      const { userId: by } = userOf(ask);
      if (writer !== by) assertOutranks(data, accessRunner(data, ask), writer);
      const { message_id } = ask.input;
      return {
        durable: (tx) => deleteMessage(tx, data.roomId, message_id, by),
        events: () => [{ event: "room:message_deleted", payload: { room_id: data.roomId, message_id, by } }],
        reply: () => ({}),
      };
    },
  },
} satisfies VoiceActions<{
  "room:message": Content;
  "message:edit": string;
  "message:delete": string;
}>;
