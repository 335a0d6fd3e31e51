import { inTransaction, type Tx } from "#shared/db/transaction.ts";

/**
 * Takes away what an account that is deleted had to do with others: follows, with everybody's counters, friendships,
 * requests and blocks; some of it at a time, for he may have many followers. Answers how much; 0 means that nothing is
 * left. The account is marked deleted before, so nothing new comes.
 */
export async function forgetTies(userId: string, most = 1000): Promise<number> {
  return inTransaction(async (tx) => {
    await tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [userId]);
    const follows = await forgetFollows(tx, userId, most);
    if (follows > 0) return follows;
    const others = [
      ...(await tx.query("DELETE FROM user_counters WHERE user_id = $1 RETURNING 1", [userId])),
      ...(await tx.query(
        `DELETE FROM friendships WHERE (user_id, friend_id) IN (
           SELECT user_id, friend_id FROM friendships WHERE user_id = $1
           UNION ALL SELECT friend_id, user_id FROM friendships WHERE user_id = $1
         ) RETURNING 1`,
        [userId],
      )),
      ...(await tx.query("DELETE FROM user_blocks WHERE blocker_id = $1 OR blocked_id = $1 RETURNING 1", [userId])),
      ...(await tx.query(
        `DELETE FROM friend_requests WHERE status = 'pending' AND (sender_id = $1 OR recipient_id = $1) RETURNING 1`,
        [userId],
      )),
    ];
    return others.length;
  });
}

async function forgetFollows(tx: Tx, userId: string, most: number): Promise<number> {
  const [gone] = await tx.query<{ count: number }>(
    `WITH part AS (
       (SELECT follower_id, followed_id FROM user_follows WHERE follower_id = $1 LIMIT $2)
       UNION ALL (SELECT follower_id, followed_id FROM user_follows WHERE followed_id = $1 LIMIT $2)
     ), gone AS (
       DELETE FROM user_follows WHERE (follower_id, followed_id) IN (SELECT follower_id, followed_id FROM part)
       RETURNING follower_id, followed_id
     ), counted AS (
       UPDATE user_counters n SET
         followers_count = n.followers_count - change.followers, following_count = n.following_count - change.following
       FROM (
         SELECT user_id, sum(followers) AS followers, sum(following) AS following FROM (
           SELECT follower_id AS user_id, 0 AS followers, 1 AS following FROM gone
           UNION ALL SELECT followed_id, 1, 0 FROM gone
         ) ends GROUP BY user_id
       ) change
       WHERE n.user_id = change.user_id
     )
     SELECT count(*) FROM gone`,
    [userId, most],
  );
  return gone?.count ?? 0;
}
