import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Relation } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { endFriendship } from "./friendships.ts";
import { notToYourself } from "./relations.errors.ts";
import { lockRelation } from "./relations.policy.ts";

/**
 * Ends a friendship. Without one, it changes nothing.
 * @throws FORBIDDEN for the caller themselves, NOT_FOUND for a user who is neither a friend nor visible, or has blocked
 * the caller
 */
export async function unfriend(caller: UserPrincipal, userId: string): Promise<Relation> {
  if (caller.userId === userId) throw notToYourself("unfriend");
  return inTransaction(async (tx) => {
    const { relation, active, blocks } = await lockRelation(tx, caller.userId, userId);
    tellBlocks("profile", blocks);
    if (relation.friend_status !== "friends") {
      if (!active) throw new DomainError("NOT_FOUND");
      return relation;
    }

    await endFriendship(tx, caller.userId, userId);
    return { ...relation, friend_status: "none" };
  });
}
