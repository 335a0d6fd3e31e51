import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { accessPostToChange } from "./posts.policy.ts";

export interface LikeState {
  readonly liked: boolean;
  readonly likes_count: number;
}

/**
 * Likes a post, or removes the like, and returns the new state. Toggles of one post run one after another, so each
 * changes something and the counter equals the number of likes. Publishes `post.liked` or `post.unliked`.
 * @throws NOT_FOUND
 */
export async function toggleLike(caller: UserPrincipal, postId: string): Promise<LikeState> {
  return inTransaction(async (tx) => {
    const { author_id } = await accessPostToChange(tx, caller.userId, postId);
    const [state] = await tx.query<LikeState>(
      `WITH gone AS (
         DELETE FROM post_likes WHERE post_id = $1 AND user_id = $2 RETURNING 1
       ), made AS (
         INSERT INTO post_likes (post_id, user_id) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM gone) RETURNING 1
       )
       UPDATE posts SET likes_count = likes_count + (SELECT count(*) FROM made) - (SELECT count(*) FROM gone)
       WHERE id = $1 RETURNING EXISTS (SELECT 1 FROM made) AS liked, likes_count`,
      [postId, caller.userId],
    );
    const topic = state!.liked ? "post.liked" : "post.unliked";
    await tx.publish(topic, { post_id: postId, author_id, user_id: caller.userId });
    return state!;
  });
}
