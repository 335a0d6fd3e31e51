import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { endFriendship } from "./friendships.ts";
import { notOneself } from "./relations.errors.ts";
import { lockPerson } from "./relations.policy.ts";

/**
 * Ends a friendship; whoever is no friend just has the answer.
 * @throws FORBIDDEN to oneself, NOT_FOUND for somebody who was no friend and of whom he may not know
 */
export async function unfriend(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notOneself("unfriend");
  return inTransaction(async (tx) => {
    const { relation, knowable } = await lockPerson(tx, caller.userId, userId);
    if (relation.friend_status !== "friends") {
      if (!knowable) throw new DomainError("NOT_FOUND");
      return relation;
    }
    await endFriendship(tx, caller.userId, userId);
    return { ...relation, friend_status: "none" };
  });
}
