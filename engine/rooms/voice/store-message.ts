import type { MessageKind, Quote, RoomMessage, UserCard } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import type { AlsoStored } from "#shared/domain/base/filter/held-content.ts";
import { type StoredCard, toMediaCard } from "#shared/domain/base/media/media-card.ts";
import { chatLog } from "#shared/domain/live/rooms/chat-log.ts";
import { readMessage } from "#shared/domain/live/rooms/messages.queries.ts";
import { timeOfId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { StaleActorError } from "#shared/kernel/stale-actor-error.ts";
import type { Effects } from "../../core/decision.ts";
import type { RoomData } from "./room-data.ts";
import type { VoiceAsk } from "./voice-action.ts";

/** What a message needs that the actor doesn't have. */
export interface Content {
  readonly kind: MessageKind;
  readonly media?: StoredCard;
  readonly quote?: Quote;
}

interface NewMessage {
  readonly user: UserCard;
  readonly input: VoiceAsk<"room:message">["input"];
  /** What may be shown of it. */
  readonly body: string;
}

/** Returns a new message of the room, with the ID after the latest. Mentions of those who are away are left out. */
export function messageOf(
  data: RoomData,
  { user, input, body }: NewMessage,
  { kind, media, quote }: Content,
): RoomMessage {
  const { client_id, mentions = [] } = input;
  const mentioned = mentions.filter((id) => id !== user.id && data.roleOf(id) !== null);
  const id = data.newMessageId();
  return {
    id,
    room_id: data.roomId,
    user,
    body,
    kind,
    created_at: new Date(timeOfId(id)).toISOString(),
    ...(media && { media: toMediaCard(media) }),
    ...(quote && { reply_to: quote }),
    ...(mentioned.length > 0 && { mentions: mentioned }),
    ...(client_id !== undefined && { client_id }),
  };
}

interface Storing {
  readonly message: RoomMessage;
  readonly media?: StoredCard | undefined;
  /** After it is stored, in a transaction of its own: messages are stored many at a time. */
  readonly also?: AlsoStored | undefined;
}

/** Stores a message, then pushes it: a message that is acknowledged or seen is durable. */
export async function storeAndPush(
  data: RoomData,
  { message, media, also }: Storing,
  effects: Effects,
): Promise<RoomMessage> {
  const outcome = await chatLog.add({
    id: message.id,
    roomId: data.roomId,
    epoch: data.epoch,
    userId: message.user.id,
    kind: message.kind,
    body: message.body,
    media,
    replyTo: message.reply_to?.id,
    mentions: message.mentions ?? [],
    clientId: message.client_id ?? null,
    createdAt: message.created_at,
  });
  if (outcome.kind === "stale") throw new StaleActorError(data.roomId, data.epoch);
  if (outcome.kind === "repeated")
    return { ...(await readMessage(message.user.id, outcome.id)), client_id: message.client_id! };
  effects.push({ event: "room:new_message", payload: { room_id: data.roomId, message } });
  // The message is there: an error now would have it sent again.
  if (also)
    await inTransaction((tx) => also(tx, message.id)).catch((error: unknown) =>
      logger.error({ err: error, message: message.id }, "a review of a message could not be asked for"),
    );
  return message;
}

/**
 * Pushes a message that is shadowed to its author, with the number that the room's next event has: the seats, as they
 * are. So no number is missing to the others, and the author's client takes the two for one.
 */
export function pushShadowed(data: RoomData, message: RoomMessage, effects: Effects): RoomMessage {
  const room_id = data.roomId;
  effects.push({
    event: "room:new_message",
    payload: { room_id, message, seq: data.log.seq + 1 },
    users: [message.user.id],
    passing: true,
  });
  effects.push({
    event: "room:seats_updated",
    payload: { room_id, seats: data.seatViews(), version: data.version },
  });
  return message;
}
