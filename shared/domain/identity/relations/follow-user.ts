import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { addFollow, removeFollow } from "./follows.ts";
import { notToYourself, tooManyFollows } from "./relations.errors.ts";
import { accessUser, lockRelation } from "./relations.policy.ts";

/** Users that one user may follow. */
const followingMax = 10_000;

/**
 * Follows a user. Repeating it changes nothing. Publishes `user.followed`.
 * @throws FORBIDDEN for the caller themselves, NOT_FOUND, BLOCKED, CONFLICT at the limit of follows
 */
export async function followUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notToYourself("follow");
  return inTransaction(async (tx) => {
    const { relation } = await accessUser(tx, caller.userId, userId);
    if (relation.is_following) return relation;

    await assertFollowLimit(tx, caller.userId);
    await addFollow(tx, caller.userId, userId);
    await tx.publish("user.followed", { follower_id: caller.userId, followed_id: userId });
    return { ...relation, is_following: true };
  });
}

async function assertFollowLimit(tx: Tx, userId: string): Promise<void> {
  const [counters] = await tx.query<{ following_count: number }>(
    "SELECT following_count FROM user_counters WHERE user_id = $1",
    [userId],
  );
  if ((counters?.following_count ?? 0) >= followingMax) throw tooManyFollows(followingMax);
}

/**
 * Unfollows a user. Without a follow, it changes nothing.
 * @throws FORBIDDEN for the caller themselves, NOT_FOUND for a user who is neither followed nor visible, or has blocked
 * the caller
 */
export async function unfollowUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notToYourself("follow");
  return inTransaction(async (tx) => {
    const { relation, active, blocks } = await lockRelation(tx, caller.userId, userId);
    tellBlocks("profile", blocks);
    if (relation.is_following) await removeFollow(tx, caller.userId, userId);
    else if (!active) throw new DomainError("NOT_FOUND");
    return { ...relation, is_following: false };
  });
}
