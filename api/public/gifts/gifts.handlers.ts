import type { Actors } from "#shared/contracts/actors.ts";
import type { GiftTransaction } from "#shared/contracts/views.ts";
import { findAnswer } from "#shared/db/idempotency.ts";
import { recipientNotHere, senderNotHere } from "#shared/domain/gifts/gifts.errors.ts";
import { sendGift } from "#shared/domain/gifts/send-gift.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Call } from "../../http/route.ts";
import type { RoomParams, SendGiftBody } from "./gifts.schemas.ts";

/** Sends a gift between two people who are in the room now. */
export async function sendGiftInRoom(
  actors: Actors,
  { caller, params, body, idempotency }: Call<RoomParams, object, SendGiftBody>,
): Promise<GiftTransaction> {
  const refusal = await absence(actors, params.id, caller, body.recipient_id);
  if (!refusal) return sendGift(caller, { room_id: params.id, ...body }, idempotency);
  // A call that comes again has its first answer, whoever has left the room since.
  const first = idempotency && (await findAnswer<GiftTransaction>(idempotency));
  if (first) return first.answer;
  throw refusal;
}

/** Why the two cannot give and take a gift in this room, as its actor knows it; undefined when both are there. */
async function absence(
  actors: Actors,
  roomId: string,
  caller: Call["caller"],
  recipientId: string,
): Promise<DomainError | undefined> {
  const asked = await actors.voice(roomId, caller, "room:present", { user_ids: [caller.userId, recipientId] });
  if (!asked.ok) return DomainError.from(asked);
  const { present } = asked.value;
  if (!present.includes(caller.userId)) return senderNotHere();
  return present.includes(recipientId) ? undefined : recipientNotHere();
}
