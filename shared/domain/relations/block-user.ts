import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { removeFollow } from "./follows.ts";
import { endFriendship } from "./friendships.ts";
import { notOneself, tooMany } from "./relations.errors.ts";
import { lockPerson } from "./relations.policy.ts";

/** People whom one person may block. */
const blocksMax = 10_000;

/**
 * Blocks somebody: from here on the two have nothing to do with each other. Follows, friendship and pending requests
 * between them are gone, both ways. Whoever has been blocked may block too: the one block may be lifted before the other.
 * Publishes `user.blocked`, when he was not blocked before.
 * @throws FORBIDDEN to oneself, NOT_FOUND, CONFLICT when he blocks too many
 */
export async function blockUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notOneself("block");
  return inTransaction(async (tx) => {
    const { relation } = await lockPerson(tx, caller.userId, userId);
    if (!relation.is_blocked) {
      await mustBlockFewer(tx, caller.userId);
      await tx.query("INSERT INTO user_blocks (blocker_id, blocked_id) VALUES ($1, $2)", [caller.userId, userId]);
      await cutTies(tx, caller.userId, userId);
      await tx.publish("user.blocked", { blocker_id: caller.userId, blocked_id: userId });
    }
    return { user_id: userId, is_following: false, is_followed_by: false, friend_status: "none", is_blocked: true };
  });
}

async function mustBlockFewer(tx: Tx, userId: string): Promise<void> {
  const [blocks] = await tx.query<{ count: number }>("SELECT count(*) FROM user_blocks WHERE blocker_id = $1", [
    userId,
  ]);
  if ((blocks?.count ?? 0) >= blocksMax) throw tooMany(`You can block at most ${blocksMax} users.`);
}

/** Nothing is left between the two. */
async function cutTies(tx: Tx, userId: string, otherId: string): Promise<void> {
  await removeFollow(tx, userId, otherId);
  await removeFollow(tx, otherId, userId);
  await endFriendship(tx, userId, otherId);
  await tx.query(
    `UPDATE friend_requests SET status = 'cancelled', answered_at = now()
     WHERE status = 'pending' AND least(sender_id, recipient_id) = least($1::uuid, $2::uuid)
       AND greatest(sender_id, recipient_id) = greatest($1::uuid, $2::uuid)`,
    [userId, otherId],
  );
}

/**
 * Takes a block back; what it has cut stays cut. Whoever has not blocked him just has the answer.
 * @throws FORBIDDEN to oneself, NOT_FOUND for somebody whom he has not blocked and may not know of
 */
export async function unblockUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notOneself("block");
  return inTransaction(async (tx) => {
    const { relation, knowable } = await lockPerson(tx, caller.userId, userId);
    if (relation.is_blocked)
      await tx.query("DELETE FROM user_blocks WHERE blocker_id = $1 AND blocked_id = $2", [caller.userId, userId]);
    else if (!knowable) throw new DomainError("NOT_FOUND");
    return { ...relation, is_blocked: false };
  });
}
