import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { addFollow, removeFollow } from "./follows.ts";
import { notOneself, tooMany } from "./relations.errors.ts";
import { accessPerson, lockPerson } from "./relations.policy.ts";

/** People whom one person may follow. */
const followingMax = 10_000;

/**
 * Follows somebody; whoever follows him already just has the answer. Publishes `user.followed`.
 * @throws FORBIDDEN to oneself, NOT_FOUND, BLOCKED, CONFLICT when he follows too many
 */
export async function followUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notOneself("follow");
  return inTransaction(async (tx) => {
    const { relation } = await accessPerson(tx, caller.userId, userId);
    if (relation.is_following) return relation;
    await mustFollowFewer(tx, caller.userId);
    await addFollow(tx, caller.userId, userId);
    await tx.publish("user.followed", { follower_id: caller.userId, followed_id: userId });
    return { ...relation, is_following: true };
  });
}

async function mustFollowFewer(tx: Tx, userId: string): Promise<void> {
  const [counters] = await tx.query<{ following_count: number }>(
    "SELECT following_count FROM user_counters WHERE user_id = $1",
    [userId],
  );
  if ((counters?.following_count ?? 0) >= followingMax) throw tooMany(`You can follow at most ${followingMax} users.`);
}

/**
 * Follows somebody no longer; whoever does not follow him just has the answer.
 * @throws FORBIDDEN to oneself, NOT_FOUND for somebody whom he did not follow and may not know of
 */
export async function unfollowUser(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notOneself("follow");
  return inTransaction(async (tx) => {
    const { relation, knowable } = await lockPerson(tx, caller.userId, userId);
    if (relation.is_following) await removeFollow(tx, caller.userId, userId);
    else if (!knowable) throw new DomainError("NOT_FOUND");
    return { ...relation, is_following: false };
  });
}
