import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { UserBlock } from "./block.model.ts";
import { removeFollow } from "./follows.ts";
import { endFriendship } from "./friendships.ts";
import { notToYourself, tooManyBlocks } from "./relations.errors.ts";
import { lockRelation } from "./relations.policy.ts";

/** Users that one user may block. */
const blocksMax = 10_000;

/**
 * Blocks a user. Removes follows, friendship and pending requests between the two, both ways. A blocked user may block
 * back, because either block may be lifted first. Publishes `user.blocked` unless the user was blocked already.
 * @throws FORBIDDEN for the caller themselves, NOT_FOUND, CONFLICT at the limit of blocks
 */
export async function blockUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notToYourself("block");
  return inTransaction(async (tx) => {
    const { relation } = await lockRelation(tx, caller.userId, userId);
    if (!relation.is_blocked) {
      await assertBlockLimit(tx, caller.userId);
      await UserBlock.insert(tx, { blocker_id: caller.userId, blocked_id: userId });
      await cutTies(tx, caller.userId, userId);
      await tx.publish("user.blocked", { blocker_id: caller.userId, blocked_id: userId });
    }
    return { user_id: userId, is_following: false, is_followed_by: false, friend_status: "none", is_blocked: true };
  });
}

async function assertBlockLimit(tx: Tx, userId: string): Promise<void> {
  const [blocks] = await tx.query<{ count: number }>("SELECT count(*) FROM user_blocks WHERE blocker_id = $1", [
    userId,
  ]);
  if ((blocks?.count ?? 0) >= blocksMax) throw tooManyBlocks(blocksMax);
}

/** Removes every relation between two users. */
async function cutTies(tx: Tx, userId: string, otherId: string): Promise<void> {
  await removeFollow(tx, userId, otherId);
  await removeFollow(tx, otherId, userId);
  await endFriendship(tx, userId, otherId);
  const [request] = await tx.query<{ request_id: string; sender_id: string; recipient_id: string }>(
    `UPDATE friend_requests SET status = 'cancelled', answered_at = now()
     WHERE status = 'pending' AND least(sender_id, recipient_id) = least($1::uuid, $2::uuid)
       AND greatest(sender_id, recipient_id) = greatest($1::uuid, $2::uuid)
     RETURNING id AS request_id, sender_id, recipient_id`,
    [userId, otherId],
  );
  if (request) await tx.publish("friend.request_cancelled", request);
}

/**
 * Lifts a block. What the block removed does not come back. Without a block, it changes nothing.
 * @throws FORBIDDEN for the caller themselves, NOT_FOUND for a user who is neither blocked nor visible
 */
export async function unblockUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notToYourself("block");
  return inTransaction(async (tx) => {
    const { relation, active, blocks } = await lockRelation(tx, caller.userId, userId);
    if (!relation.is_blocked) {
      tellBlocks("profile", blocks);
      if (!active) throw new DomainError("NOT_FOUND");
    }
    await UserBlock.remove(tx, { blocker_id: caller.userId, blocked_id: userId });
    return { ...relation, is_blocked: false };
  });
}
