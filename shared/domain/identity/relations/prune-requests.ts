import { deleteBatch } from "#shared/db/batches.ts";

/** Deletes a batch of the friend requests that were answered over 30 days ago. Returns how many. A job calls it. */
export function pruneFriendRequests(most = 5000): Promise<number> {
  const where = "status <> 'pending' AND answered_at < now() - interval '30 days'";
  return deleteBatch({ from: "friend_requests", key: "id", where }, most);
}
