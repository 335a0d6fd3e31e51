import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Comment } from "#shared/contracts/views.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { CommentModel } from "./comments.model.ts";
import { accessPostToChange } from "./posts.policy.ts";

/**
 * Comments on a post that the caller can see. Publishes `post.commented`.
 * @throws NOT_FOUND
 */
export async function addComment(caller: UserPrincipal, postId: string, content: string): Promise<Comment> {
  return inTransaction(async (tx) => {
    const { author_id } = await accessPostToChange(tx, caller.userId, postId);
    const { id, created_at } = await CommentModel.create({
      id: newId(),
      post_id: postId,
      author_id: caller.userId,
      content,
    });
    await tx.query("UPDATE posts SET comments_count = comments_count + 1 WHERE id = $1", [postId]);
    await tx.publish("post.commented", { post_id: postId, comment_id: id, author_id, user_id: caller.userId });
    const author = await findUserCard(caller.userId);
    return { id, post_id: postId, author, content, created_at: created_at.toISOString() };
  });
}
