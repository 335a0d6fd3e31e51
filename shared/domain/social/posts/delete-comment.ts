import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { notYourComment } from "./posts.errors.ts";
import { accessComment } from "./posts.policy.ts";

/**
 * Deletes a comment, as its author or as the author of the post. Authors can delete comments that they can no longer
 * see. Publishes `post.comment_deleted`.
 * @throws NOT_FOUND, FORBIDDEN
 */
export async function deleteComment(caller: UserPrincipal, postId: string, commentId: string): Promise<void> {
  if (await inTransaction((tx) => deleteStep(tx, caller.userId, postId, commentId))) return;
  await accessComment(caller.userId, postId, commentId);
  throw notYourComment();
}

/** Returns false if the comment doesn't exist, or the user isn't one of the two authors. */
async function deleteStep(tx: Tx, userId: string, postId: string, commentId: string): Promise<boolean> {
  const [deleted] = await tx.query<{ user_id: string; author_id: string }>(
    `WITH gone AS (
       UPDATE post_comments c SET deleted_at = now() FROM posts p
       WHERE c.id = $3 AND c.post_id = $2 AND p.id = $2 AND c.deleted_at IS NULL AND $1 IN (c.author_id, p.author_id)
       RETURNING c.author_id AS user_id
     )
     UPDATE posts SET comments_count = comments_count - 1 FROM gone WHERE id = $2
     RETURNING gone.user_id, posts.author_id`,
    [userId, postId, commentId],
  );
  if (deleted) await tx.publish("post.comment_deleted", { post_id: postId, comment_id: commentId, ...deleted });
  return deleted !== undefined;
}
