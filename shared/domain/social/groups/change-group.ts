import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Conversation } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { takePicture } from "#shared/domain/base/media/take-media.ts";
import { assertRuns, lockConversation } from "../conversations/conversations.policy.ts";
import { getConversation } from "../conversations/conversations.queries.ts";
import { lockGroup } from "./groups.policy.ts";
import { announceGroup } from "./members.ts";

export interface GroupChange {
  readonly name?: string;
  /** An upload of the caller with the purpose `group`. Null: no picture. */
  readonly picture_media_id?: string | null;
}

/**
 * Changes the name or the picture of a group; allowed for its owner and admins. Publishes `conversation.updated`.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT for a picture that isn't ready, CONTENT_BLOCKED
 */
export async function changeGroup(
  caller: UserPrincipal,
  id: string,
  { name: given, picture_media_id }: GroupChange,
): Promise<Conversation> {
  const name = given && checkContent("group", given, await authorOf(caller.userId));
  const picture = picture_media_id && (await takePicture(caller.userId, "group", picture_media_id, "medium"));
  return inTransaction(async (tx) => {
    assertRuns(await lockGroup(tx, caller, id));
    await tx.query(
      `UPDATE conversations SET name = coalesce($2, name), picture_url = CASE WHEN $3 THEN $4 ELSE picture_url END
       WHERE id = $1`,
      [id, name ?? null, picture_media_id !== undefined, picture ?? null],
    );
    await announceGroup(tx, id);
    return getConversation(caller.userId, id);
  });
}

/** Turns off pushes of a conversation for one of its members, or on. @throws NOT_FOUND, BLOCKED */
export async function setMuted(caller: UserPrincipal, id: string, muted: boolean): Promise<void> {
  await inTransaction(async (tx) => {
    await lockConversation(tx, caller.userId, id);
    await tx.query("UPDATE conversation_members SET muted = $3 WHERE conversation_id = $1 AND user_id = $2", [
      id,
      caller.userId,
      muted,
    ]);
  });
}
