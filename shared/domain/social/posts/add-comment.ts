import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Comment } from "#shared/contracts/views.ts";
import { increased } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { checkContent } from "#shared/domain/base/filter/check-content.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId } from "#shared/kernel/ids.ts";
import { CommentModel } from "./comments.model.ts";
import { PostModel } from "./posts.model.ts";
import { accessPostToChange } from "./posts.policy.ts";

/**
 * Comments on a post that the caller can see. Publishes `post.commented`.
 * @throws NOT_FOUND, CONTENT_BLOCKED
 */
export async function addComment(caller: UserPrincipal, postId: string, given: string): Promise<Comment> {
  const content = checkContent("comment", given);
  return inTransaction(async (tx) => {
    const { author_id } = await accessPostToChange(tx, caller.userId, postId);
    const comment = { id: newId(), post_id: postId, author_id: caller.userId, content };
    const { id, created_at } = await CommentModel.insert(tx, comment);
    await PostModel.change(tx, { id: postId }, { comments_count: increased("comments_count") });
    await tx.publish("post.commented", { post_id: postId, comment_id: id, author_id, user_id: caller.userId });
    const author = await findUserCard(caller.userId);
    return { id, post_id: postId, author, content, created_at };
  });
}
