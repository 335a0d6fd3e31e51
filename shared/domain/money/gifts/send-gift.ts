import type { VoiceActors } from "#shared/contracts/actors.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { GiftTransaction } from "#shared/contracts/views.ts";
import { findResult, type IdempotentCall } from "#shared/db/idempotency.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { recipientNotInRoom, senderNotInRoom } from "./gifts.errors.ts";
import { type GiftOrder, transferGift } from "./transfer-gift.ts";

/**
 * Sends a gift between two users who are in the room now; see `transferGift` for what it costs.
 * @throws NOT_A_MEMBER, NOT_FOUND (the recipient isn't in the room), ROOM_CLOSED, ENGINE_UNAVAILABLE, or an error of
 *   `transferGift`
 */
export async function sendGift(
  actors: VoiceActors,
  caller: UserPrincipal,
  order: GiftOrder,
  idempotency?: IdempotentCall,
): Promise<GiftTransaction> {
  const absence = await findAbsence(actors, caller, order);
  if (!absence) return transferGift(caller, order, idempotency);

  // A repeated call gets its first result, even if someone has left the room since.
  const first = idempotency && (await findResult<GiftTransaction>(idempotency));
  if (first) return first.result;
  throw absence;
}

/** Returns why the two can't exchange a gift in this room, according to its actor; undefined if both are there. */
async function findAbsence(
  actors: VoiceActors,
  caller: UserPrincipal,
  { room_id, recipient_id }: GiftOrder,
): Promise<DomainError | undefined> {
  const asked = await actors.voice(room_id, caller, "room:present", { user_ids: [caller.userId, recipient_id] });
  if (!asked.ok) return DomainError.from(asked);
  const { present } = asked.value;
  if (!present.includes(caller.userId)) return senderNotInRoom();
  return present.includes(recipient_id) ? undefined : recipientNotInRoom();
}
