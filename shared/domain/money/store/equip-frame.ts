import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Frame } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { FrameOwnership } from "./frame-ownership.model.ts";
import { lockOwner } from "./lock-owner.ts";
import { frameNotOnSale, frameNotOwned } from "./store.errors.ts";
import { frameFor } from "./store.queries.ts";

/**
 * Equips a frame that the caller owns, in place of the one equipped before. Repeating it changes nothing.
 * @throws NOT_FOUND, NOT_OWNED
 */
export const equipFrame = (caller: UserPrincipal, frameId: string): Promise<Frame> => wear(caller, frameId, true);

/**
 * Unequips a frame. Succeeds if it isn't equipped.
 * @throws NOT_FOUND, NOT_OWNED
 */
export const unequipFrame = (caller: UserPrincipal, frameId: string): Promise<Frame> => wear(caller, frameId, false);

async function wear({ userId }: UserPrincipal, frameId: string, equipped: boolean): Promise<Frame> {
  return inTransaction(async (tx) => {
    // Serialises calls of one user: each of two at once would find no frame equipped.
    await lockOwner(tx, userId);
    const frame = await ownedFrame(userId, frameId);
    if (frame.equipped === equipped) return frame;

    await tx.query("UPDATE frame_ownerships SET equipped = false WHERE user_id = $1 AND equipped", [userId]);
    if (equipped) await FrameOwnership.change(tx, { user_id: userId, frame_id: frameId }, { equipped });
    await tx.publish("user.card_changed", { user_id: userId });
    return { ...frame, equipped };
  });
}

/** @throws NOT_FOUND, NOT_OWNED */
async function ownedFrame(userId: string, frameId: string): Promise<Frame> {
  const frame = await frameFor(userId, frameId);
  if (!frame) throw frameNotOnSale();
  if (!frame.owned_by_me) throw frameNotOwned();
  return frame;
}
