import { query } from "#shared/db/query.ts";

/** Deletes a batch of the friend requests that were answered over 30 days ago. Returns how many. A job calls it. */
export async function pruneFriendRequests(most = 5000): Promise<number> {
  const pruned = await query(
    `DELETE FROM friend_requests WHERE id IN (
       SELECT id FROM friend_requests WHERE status <> 'pending' AND answered_at < now() - interval '30 days' LIMIT $1
     ) RETURNING 1`,
    [most],
  );
  return pruned.length;
}
