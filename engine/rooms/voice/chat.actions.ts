import type { RoomMessage } from "#shared/contracts/views.ts";
import { chatLog } from "#shared/domain/live/rooms/chat-log.ts";
import { writerOf } from "#shared/domain/live/rooms/messages.queries.ts";
import { deleteMessage } from "#shared/domain/live/rooms/room-steps.ts";
import { noSuchRoom } from "#shared/domain/live/rooms/rooms.errors.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import { type Effects, userOf } from "../../core/decision.ts";
import { accessMember, accessRunner, accessTarget, assertOutranks } from "./access.ts";
import type { RoomData } from "./room-data.ts";
import type { VoiceActions } from "./voice-action.ts";

/** Stores a message, then pushes it: a message that is acknowledged or seen is durable. */
async function storeAndPush(data: RoomData, message: RoomMessage, effects: Effects): Promise<RoomMessage> {
  const outcome = await chatLog.add({
    id: message.id,
    roomId: data.roomId,
    epoch: data.epoch,
    userId: message.user.id,
    body: message.body,
    clientId: message.client_id ?? null,
    createdAt: message.created_at,
  });
  if (outcome.kind === "stale") throw new StaleActorError(data.roomId, data.epoch);
  if (outcome.kind === "repeated")
    return { ...message, id: outcome.id, body: outcome.body, created_at: outcome.createdAt };
  effects.push({ event: "room:new_message", payload: { room_id: data.roomId, message } });
  return message;
}

export const chatActions = {
  "room:message": {
    decide: (data, ask) => {
      const { userId, membership } = accessMember(data, ask);
      const mute = data.live.chatMutes.find((held) => held.userId === userId && held.untilMs > ask.nowMs);
      if (mute)
        throw new DomainError("FORBIDDEN", "Your chat is muted here until {{time}}.", {
          values: { time: new Date(mute.untilMs).toISOString() },
        });
      if (chatLog.full)
        throw new DomainError("ENGINE_UNAVAILABLE", "Too many messages are being stored.", { retryAfter: 1 });
      const id = data.newMessageId();
      const message: RoomMessage = {
        id,
        room_id: data.roomId,
        user: membership.card,
        body: ask.input.body,
        kind: "text",
        created_at: new Date(timeOfId(id)).toISOString(),
        ...(ask.input.client_id !== undefined && { client_id: ask.input.client_id }),
      };
      return { reply: (effects) => storeAndPush(data, message, effects) };
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
      const others = data.live.chatMutes.filter((mute) => mute.userId !== userId && mute.untilMs > ask.nowMs);
      const untilMs = ask.nowMs + minutes * 60_000;
      const muted_until = minutes > 0 ? new Date(untilMs).toISOString() : null;
      return {
        next: { ...data.live, chatMutes: minutes > 0 ? [...others, { userId, untilMs }] : others },
        events: () => [{ event: "chat:muted", payload: { room_id: data.roomId, muted_until }, users: [userId] }],
        reply: () => ({}),
      };
    },
  },

  "message:delete": {
    prepare: async (data, ask) => {
      if (data.roleOf(userOf(ask).userId) === null) throw noSuchRoom();
      const writer = await writerOf(data.roomId, ask.input.message_id);
      if (!writer) throw new DomainError("NOT_FOUND");
      return writer;
    },
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
} satisfies VoiceActions<{ "message:delete": string }>;
