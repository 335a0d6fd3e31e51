import type { Tx } from "#shared/db/transaction.ts";

/** Steps that write follows together with their counters. `lockRelation` has locked the users. */

export async function addFollow(tx: Tx, followerId: string, followedId: string): Promise<void> {
  await tx.query(
    `WITH created AS (
       INSERT INTO user_follows (follower_id, followed_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1
     )
     INSERT INTO user_counters (user_id, followers_count, following_count)
     SELECT change.* FROM created, (VALUES ($1::uuid, 0, 1), ($2::uuid, 1, 0)) AS change
     ON CONFLICT (user_id) DO UPDATE SET
       followers_count = user_counters.followers_count + EXCLUDED.followers_count,
       following_count = user_counters.following_count + EXCLUDED.following_count`,
    [followerId, followedId],
  );
}

/** Publishes `user.unfollowed` if there was a follow. */
export async function removeFollow(tx: Tx, followerId: string, followedId: string): Promise<void> {
  const removed = await tx.query(
    `WITH gone AS (DELETE FROM user_follows WHERE follower_id = $1 AND followed_id = $2 RETURNING 1)
     UPDATE user_counters SET
       followers_count = followers_count - (user_id = $2)::int, following_count = following_count - (user_id = $1)::int
     WHERE user_id IN ($1, $2) AND EXISTS (SELECT 1 FROM gone) RETURNING 1`,
    [followerId, followedId],
  );
  if (removed.length > 0) await tx.publish("user.unfollowed", { follower_id: followerId, followed_id: followedId });
}
