/**
 * What there is between the viewer `$2` and the users row `u`, as columns of a statement: the members of the view
 * Relation. The one place that says how it is read.
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
 * Whether the users row `u` is somebody of whom the viewer `$2` may know: an account that stands and has not blocked him.
 * Whoever has asked for his account to be deleted is gone at once; if he takes it back, everything is as it was.
 */
export const isKnowable = `u.status = 'active'
  AND NOT EXISTS (SELECT 1 FROM user_blocks b WHERE b.blocker_id = u.id AND b.blocked_id = $2)`;
