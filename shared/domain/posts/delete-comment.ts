import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { notYourComment } from "./posts.errors.ts";
import { accessComment } from "./posts.policy.ts";

/**
 * Deletes a comment, as its author or as the author of the post. Authors can delete comments that they can no longer
 * see.
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function deleteComment(caller: UserPrincipal, postId: string, commentId: string): Promise<void> {
  const deleted = await query(
    `WITH gone AS (
       UPDATE post_comments c SET deleted_at = now() FROM posts p
       WHERE c.id = $3 AND c.post_id = $2 AND p.id = $2 AND c.deleted_at IS NULL AND $1 IN (c.author_id, p.author_id)
       RETURNING 1
     )
     UPDATE posts SET comments_count = comments_count - 1 WHERE id = $2 AND EXISTS (SELECT 1 FROM gone) RETURNING 1`,
    [caller.userId, postId, commentId],
  );
  if (deleted.length > 0) return;
  await accessComment(caller.userId, postId, commentId);
  throw notYourComment();
}
