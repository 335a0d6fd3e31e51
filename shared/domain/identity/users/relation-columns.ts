import { shownCount } from "./shown-count.ts";

/**
 * How the viewer `$2` is related to the users row `u`, as columns of a statement: the fields of the view Relation. No
 * other code reads it.
 */
export const relationColumns = `
  EXISTS (SELECT 1 FROM user_follows f WHERE f.follower_id = $2 AND f.followed_id = u.id) AS is_following,
  EXISTS (SELECT 1 FROM user_follows f WHERE f.follower_id = u.id AND f.followed_id = $2) AS is_followed_by,
  CASE WHEN EXISTS (SELECT 1 FROM friendships s WHERE s.user_id = $2 AND s.friend_id = u.id) THEN 'friends'
    ELSE coalesce((
      SELECT CASE WHEN q.sender_id = u.id THEN 'incoming' ELSE 'requested' END FROM friend_requests q
      WHERE q.status = 'pending' AND least(q.sender_id, q.recipient_id) = least($2::uuid, u.id)
        AND greatest(q.sender_id, q.recipient_id) = greatest($2::uuid, u.id)
    ), 'none') END AS friend_status,
  EXISTS (SELECT 1 FROM user_blocks b WHERE b.blocker_id = $2 AND b.blocked_id = u.id) AS is_blocked`;

/**
 * Whether the user whose ID is in `column` is active, for lists that look at many. They are looked up one by one among
 * those who are not, in `users_inactive_idx`, which has few entries however many users there are. The planner expects
 * half of them to be active, and therefore follows the order of the list until the page is full.
 */
export const isActiveId = (column: string): string =>
  `NOT EXISTS (SELECT FROM users gone WHERE gone.id = ${column} AND gone.status <> 'active' OFFSET 0)`;

/**
 * The follows of which one side is `owner`, and the other, in the column `listed`, an active account: the lists of
 * followers and of followed users, and their counts.
 */
export const shownFollows = (owner: string, listed: "follower_id" | "followed_id"): string =>
  `user_follows l WHERE l.${listed === "follower_id" ? "followed_id" : "follower_id"} = ${owner}
   AND ${isActiveId(`l.${listed}`)}`;

/**
 * Counts the followers (`follower_id`) or the followed users of `owner`. `counters` is their row of `user_counters`.
 */
export const followCount = (owner: string, listed: "follower_id" | "followed_id", counters: string): string => {
  const stored = `coalesce(${counters}.${listed === "follower_id" ? "followers_count" : "following_count"}, 0)`;
  return shownCount(stored, shownFollows(owner, listed));
};

/**
 * Whether users may see the users row `u`, apart from blocks. An account that waits for its deletion is not active; if
 * its owner cancels the deletion, it is visible again.
 */
export const isActive = "u.status = 'active'";

/** Whether the users row `u` has blocked the viewer `$2`. What follows is in the table of block rules. */
export const hasBlockedViewer = "EXISTS (SELECT 1 FROM user_blocks b WHERE b.blocker_id = u.id AND b.blocked_id = $2)";
