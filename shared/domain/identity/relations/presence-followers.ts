import { query } from "#shared/db/query.ts";
import type { AudienceSource, Watching } from "#shared/domain/identity/presence/presence.audience.ts";

/** Followers and friends who are connected now: the only ones who can be notified. */
export const followersAndFriends: AudienceSource = (userIds) =>
  query<Watching>(
    `SELECT w.user_id, w.watcher_id
     FROM (
       SELECT followed_id AS user_id, follower_id AS watcher_id FROM user_follows WHERE followed_id = ANY($1::uuid[])
       UNION SELECT user_id, friend_id FROM friendships WHERE user_id = ANY($1::uuid[])
     ) w
     WHERE EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = w.watcher_id AND o.lease_until > now())
       AND NOT is_blocked_between(w.user_id, w.watcher_id)`,
    [userIds],
  );
