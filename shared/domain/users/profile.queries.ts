import type { Me, Profile, UserCard, UserSettings } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isVisible, relationColumns } from "./relation-columns.ts";
import { frameBadge, vipBadge } from "./user-cards.queries.ts";
import { completeSettings } from "./user-settings.ts";

type Relation = Pick<Profile, "is_following" | "is_followed_by" | "friend_status" | "is_blocked">;

/** How a user is related to themselves. */
const noRelation: Relation = { is_following: false, is_followed_by: false, friend_status: "none", is_blocked: false };

interface ProfileRow extends UserCard {
  bio: string;
  cover_url: string | null;
  created_at: string;
  followers_count: number;
  following_count: number;
  posts_count: number;
  room_id: string | null;
  room_name: string | null;
}

interface MeRow extends ProfileRow {
  email: string;
  mobile: string | null;
  email_verified: boolean;
  mobile_verified: boolean;
  date_of_birth: string | null;
  status: Me["status"];
  settings: Partial<UserSettings>;
  balance: number;
}

function toProfile(row: ProfileRow, relation: Relation): Profile {
  return {
    id: row.id,
    username: row.username,
    full_name: row.full_name,
    avatar_url: row.avatar_url,
    country: row.country,
    is_online: row.is_online,
    vip: row.vip,
    frame: row.frame,
    bio: row.bio,
    cover_url: row.cover_url,
    followers_count: row.followers_count,
    following_count: row.following_count,
    posts_count: row.posts_count,
    is_following: relation.is_following,
    is_followed_by: relation.is_followed_by,
    friend_status: relation.friend_status,
    is_blocked: relation.is_blocked,
    current_room: row.room_id && row.room_name ? { id: row.room_id, name: row.room_name } : null,
    created_at: row.created_at,
  };
}

/** The counts of the user `u`; `n` is the user's row of `user_counters`. Posts count if they are visible, to everyone or to followers. */
const counts = `coalesce(n.followers_count, 0) AS followers_count, coalesce(n.following_count, 0) AS following_count,
  (SELECT count(*) FROM posts p WHERE p.author_id = u.id AND p.status = 'visible') AS posts_count`;

const meQuery = `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
     ${vipBadge} AS vip, ${frameBadge} AS frame, ${counts},
     EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online,
     r.id AS room_id, r.name AS room_name,
     u.email, u.mobile, u.email_verified_at IS NOT NULL AS email_verified,
     u.mobile_verified_at IS NOT NULL AS mobile_verified, u.date_of_birth, u.status, u.settings, w.balance
   FROM users u JOIN wallets w ON w.user_id = u.id
     LEFT JOIN user_counters n ON n.user_id = u.id
     LEFT JOIN room_presence p ON p.user_id = u.id
     LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open'
   WHERE u.id = $1 AND u.status <> 'deleted'`;

/**
 * Returns all that users may see of themselves, in one statement. Presence and room are shown regardless of the privacy
 * settings.
 * @throws UNAUTHENTICATED when the account no longer exists
 */
export async function getMe(userId: string): Promise<Me> {
  const row = await queryOne<MeRow>(meQuery, [userId]);
  if (!row) throw new DomainError("UNAUTHENTICATED");
  return {
    ...toProfile(row, noRelation),
    email: row.email,
    mobile: row.mobile,
    email_verified: row.email_verified,
    mobile_verified: row.mobile_verified,
    date_of_birth: row.date_of_birth,
    status: row.status,
    settings: completeSettings(row.settings),
    wallet: { balance: row.balance },
  };
}

/**
 * Returns a user as `viewerId` may see them. The current room is shown if the user is seen to be online and shows their
 * room, and the room is open, public, and not hosted by a user blocked by the viewer or blocking them. If the viewer has
 * blocked the user, neither presence nor room is shown.
 * @throws NOT_FOUND, also for suspended and deleted accounts and for users who have blocked the viewer
 */
export async function getProfile(viewerId: string, userId: string): Promise<Profile> {
  const row = await queryOne<ProfileRow & Relation>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
       ${vipBadge} AS vip, ${frameBadge} AS frame, ${counts}, u.is_following, u.is_followed_by, u.friend_status, u.is_blocked, o.online AS is_online,
       r.id AS room_id, r.name AS room_name
     FROM (SELECT u.*, ${relationColumns} FROM users u WHERE u.id = $1 AND ${isVisible}) u
       LEFT JOIN user_counters n ON n.user_id = u.id
       CROSS JOIN LATERAL (
         SELECT NOT u.is_blocked AND coalesce((u.settings #>> '{privacy,show_online}')::boolean, true)
           AND EXISTS (SELECT 1 FROM online_users WHERE user_id = u.id AND lease_until > now()) AS online
       ) o
       LEFT JOIN room_presence p ON p.user_id = u.id AND o.online
         AND coalesce((u.settings #>> '{privacy,show_current_room}')::boolean, true)
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private
         AND NOT is_blocked_between($2, r.host_id)`,
    [userId, viewerId],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  return toProfile(row, row);
}
