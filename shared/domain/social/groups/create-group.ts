import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { takePicture } from "#shared/domain/base/media/take-media.ts";
import { newId } from "#shared/kernel/ids.ts";
import { getConversation } from "../conversations/conversations.queries.ts";
import { assertBelowDailyLimit } from "../conversations/open-conversation.ts";
import { assertCanAdd, assertFewGroups } from "./groups.policy.ts";
import { admitMembers } from "./members.ts";

export interface NewGroup {
  readonly name: string;
  /** The others: at most 255. */
  readonly user_ids: readonly string[];
  /** An upload of the caller with the purpose `group`. */
  readonly picture_media_id?: string;
}

/**
 * Creates a group, whose owner is the caller. It counts as one of the conversations that they can open in 24 hours.
 * Publishes `conversation.updated`.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT as for adding these users; RATE_LIMITED, CONTENT_BLOCKED
 */
export async function createGroup(
  caller: UserPrincipal,
  { name: given, user_ids, picture_media_id }: NewGroup,
  idempotency?: IdempotentCall,
): Promise<Conversation> {
  const name = checkContent("group", given, await authorOf(caller.userId));
  const { userId } = caller;
  const picture =
    picture_media_id === undefined ? null : await takePicture(userId, "group", picture_media_id, "medium");
  const others = [...new Set(user_ids)].filter((id) => id !== userId);
  return inTransaction(async (tx) => {
    await assertBelowDailyLimit(tx, userId);
    await assertFewGroups(tx, [userId]);
    await assertCanAdd(tx, userId, others);
    const id = newId();
    await tx.query(
      `INSERT INTO conversations (id, kind, name, picture_url, owner_id, started_by, member_count)
       VALUES ($1, 'group', $2, $3, $4, $4, 0)`,
      [id, name, picture, userId],
    );
    const members = others.map((user_id) => ({ user_id, role: "member" as const }));
    await admitMembers(tx, id, [{ user_id: userId, role: "owner" }, ...members], userId);
    return getConversation(userId, id);
  }, idempotency);
}
