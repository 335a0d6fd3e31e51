import { query } from "#shared/db/query.ts";
import type { AudienceSource } from "#shared/domain/presence/presence.audience.ts";

/** Followers and friends who are connected now: nobody else can be told. */
export const followersAndFriends: AudienceSource = async (userId) => {
  const rows = await query<{ id: string }>(
    `SELECT w.id FROM (
       SELECT follower_id AS id FROM user_follows WHERE followed_id = $1
       UNION SELECT friend_id FROM friendships WHERE user_id = $1
     ) w
     WHERE EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = w.id AND o.lease_until > now())
       AND w.id NOT IN (SELECT blocked_people($1))`,
    [userId],
  );
  return rows.map(({ id }) => id);
};
