import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Comment } from "#shared/contracts/views.ts";
import { increased } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { authorOf } from "#shared/domain/base/filter/author.ts";
import { judgeContent } from "#shared/domain/base/filter/check-content.ts";
import { type AlsoStored, hold, reviewed } from "#shared/domain/base/filter/held-content.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { newId, timeOfId } from "#shared/kernel/ids.ts";
import { CommentModel } from "./comments.model.ts";
import { PostModel } from "./posts.model.ts";
import { accessPostToChange } from "./posts.policy.ts";

/**
 * Comments on a post that the caller can see. Publishes `post.commented`.
 * @throws NOT_FOUND, CONTENT_BLOCKED
 */
export async function addComment(caller: UserPrincipal, postId: string, given: string): Promise<Comment> {
  const { userId } = caller;
  const { text: content, held, alert } = judgeContent("comment", given, await authorOf(userId));
  const input = { post_id: postId, content };
  const written = { place: "comment", userId, targetId: postId, text: content } as const;
  if (!held) return publishComment(caller, input, reviewed(written, alert));
  const id = await inTransaction(async (tx) => {
    await accessPostToChange(tx, userId, postId);
    return hold(tx, { ...written, input }, held);
  });
  const author = await findUserCard(userId);
  return { id, ...input, author, created_at: new Date(timeOfId(id)).toISOString(), held: true };
}

/** Publishes a comment that the rules have let pass. */
export async function publishComment(
  { userId }: Pick<UserPrincipal, "userId">,
  input: Pick<Comment, "post_id" | "content">,
  also?: AlsoStored,
): Promise<Comment> {
  const { post_id, content } = input;
  return inTransaction(async (tx) => {
    const { author_id } = await accessPostToChange(tx, userId, post_id);
    const comment = { id: newId(), post_id, author_id: userId, content };
    const { id, created_at } = await CommentModel.insert(tx, comment);
    await PostModel.change(tx, { id: post_id }, { comments_count: increased("comments_count") });
    await tx.publish("post.commented", { post_id, comment_id: id, author_id, user_id: userId });
    await also?.(tx, id);
    return { id, post_id, author: await findUserCard(userId), content, created_at };
  });
}
