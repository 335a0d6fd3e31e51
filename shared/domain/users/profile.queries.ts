import type { Me, Profile, UserCard, UserSettings } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isKnowable, relationColumns } from "./relation-columns.ts";
import { frameBadge, vipBadge } from "./user-cards.queries.ts";
import { completeSettings } from "./user-settings.ts";

type Relation = Pick<Profile, "is_following" | "is_followed_by" | "friend_status" | "is_blocked">;

/** Between somebody and himself. */
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

/** The counts of the user `u` with his `user_counters` row `n`. Posts are those that stand, for everybody or for followers. */
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
 * Everything about oneself, in one statement. One's own presence and room are shown whatever the privacy settings hide
 * from others.
 * @throws UNAUTHENTICATED when the account is no longer there.
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
 * Somebody as `viewerId` may see him. His room is shown while he is seen to be online, shows it, and it is open, not
 * private, and nobody's with whom the viewer has nothing to do. Of somebody whom the viewer has blocked neither is shown.
 * @throws NOT_FOUND, for suspended and deleted accounts and for one who has blocked the viewer too.
 */
export async function getProfile(viewerId: string, userId: string): Promise<Profile> {
  const row = await queryOne<ProfileRow & Relation>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
       ${vipBadge} AS vip, ${frameBadge} AS frame, ${counts}, u.is_following, u.is_followed_by, u.friend_status, u.is_blocked, o.online AS is_online,
       r.id AS room_id, r.name AS room_name
     FROM (SELECT u.*, ${relationColumns} FROM users u WHERE u.id = $1 AND ${isKnowable}) u
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
