import { countChanges, deletionOf } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";

const batch = 500;

/**
 * Step: erases a batch of a user's relations: follows with their counters, friends, requests and blocks. Returns how
 * many.
 */
export async function eraseRelations(tx: Tx, userId: string): Promise<number> {
  // As `lockRelation` does, so that no other transaction changes these relations.
  await User.lock(tx, { id: userId }, ["id"]);

  const follows = await eraseFollows(tx, userId);
  const others = await countChanges(
    tx,
    userId,
    `WITH ended AS (SELECT friend_id FROM friendships WHERE user_id = $1 LIMIT ${batch})
     DELETE FROM friendships f USING ended
     WHERE (f.user_id, f.friend_id) IN (($1, ended.friend_id), (ended.friend_id, $1)) RETURNING 1`,
    deletionOf({ from: "friend_requests", key: "id", where: "sender_id = $1 OR recipient_id = $1" }, batch),
    deletionOf(
      { from: "user_blocks", key: "blocker_id, blocked_id", where: "blocker_id = $1 OR blocked_id = $1" },
      batch,
    ),
  );
  return follows + others;
}

/** Locks the counters of the others in the order of their ids; a single statement would not keep an order. */
async function eraseFollows(tx: Tx, userId: string): Promise<number> {
  const others = await tx.query<{ other_id: string }>(
    `SELECT DISTINCT other_id FROM (
       (SELECT followed_id AS other_id FROM user_follows WHERE follower_id = $1 LIMIT $2)
       UNION ALL (SELECT follower_id FROM user_follows WHERE followed_id = $1 LIMIT $2)
     ) AS others ORDER BY other_id`,
    [userId, batch],
  );
  if (others.length === 0) return 0;

  const ids = others.map(({ other_id }) => other_id);
  await tx.query("SELECT 1 FROM user_counters WHERE user_id = ANY($1::uuid[]) ORDER BY user_id FOR NO KEY UPDATE", [
    [userId, ...ids],
  ]);

  const gone = await tx.query(
    `WITH gone AS (
       DELETE FROM user_follows
       WHERE (follower_id = $1 AND followed_id = ANY($2::uuid[])) OR (followed_id = $1 AND follower_id = ANY($2::uuid[]))
       RETURNING follower_id, followed_id
     ), change AS (
       SELECT user_id, sum(followers) AS followers, sum(following) AS following FROM (
         SELECT follower_id AS user_id, 0 AS followers, 1 AS following FROM gone
         UNION ALL SELECT followed_id, 1, 0 FROM gone
       ) AS each GROUP BY user_id
     )
     UPDATE user_counters n SET followers_count = n.followers_count - change.followers,
       following_count = n.following_count - change.following
     FROM change WHERE n.user_id = change.user_id RETURNING 1`,
    [userId, ids],
  );
  return gone.length;
}
