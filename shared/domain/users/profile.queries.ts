import type { Me, Profile, UserCard, UserSettings } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { completeSettings } from "./user-settings.ts";

type Relations = Pick<
  Profile,
  "followers_count" | "following_count" | "is_following" | "is_followed_by" | "friend_status" | "is_blocked"
>;

/** Of people between whom there is nothing. */
const noRelations: Relations = {
  followers_count: 0,
  following_count: 0,
  is_following: false,
  is_followed_by: false,
  friend_status: "none",
  is_blocked: false,
};

interface ProfileRow extends Omit<UserCard, "vip" | "frame"> {
  bio: string;
  cover_url: string | null;
  created_at: string;
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

function toProfile(row: ProfileRow): Profile {
  return {
    id: row.id,
    username: row.username,
    full_name: row.full_name,
    avatar_url: row.avatar_url,
    country: row.country,
    is_online: row.is_online,
    vip: null,
    frame: null,
    bio: row.bio,
    cover_url: row.cover_url,
    ...noRelations,
    posts_count: row.posts_count,
    current_room: row.room_id && row.room_name ? { id: row.room_id, name: row.room_name } : null,
    created_at: row.created_at,
  };
}

/** Posts of the user `u` that stand, for everybody or for followers. */
const postsCount = "(SELECT count(*) FROM posts p WHERE p.author_id = u.id AND p.status = 'visible') AS posts_count";

/**
 * Everything about oneself, in one statement. One's own presence and room are shown whatever the privacy settings hide
 * from others.
 * @throws UNAUTHENTICATED when the account is no longer there.
 */
export async function getMe(userId: string): Promise<Me> {
  const row = await queryOne<MeRow>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
       ${postsCount},
       EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online,
       r.id AS room_id, r.name AS room_name,
       u.email, u.mobile, u.email_verified_at IS NOT NULL AS email_verified,
       u.mobile_verified_at IS NOT NULL AS mobile_verified, u.date_of_birth, u.status, u.settings, w.balance
     FROM users u JOIN wallets w ON w.user_id = u.id
       LEFT JOIN room_presence p ON p.user_id = u.id
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open'
     WHERE u.id = $1 AND u.status <> 'deleted'`,
    [userId],
  );
  if (!row) throw new DomainError("UNAUTHENTICATED");
  return {
    ...toProfile(row),
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
 * Somebody as others may see him. His room is shown while he is online, shows it, and it is open and not private.
 * @throws NOT_FOUND, for suspended and deleted accounts too.
 */
export async function getProfile(userId: string): Promise<Profile> {
  const row = await queryOne<ProfileRow>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
       ${postsCount}, o.online AND u.shows_online AS is_online, r.id AS room_id, r.name AS room_name
     FROM (
       SELECT *, coalesce((settings #>> '{privacy,show_online}')::boolean, true) AS shows_online,
         coalesce((settings #>> '{privacy,show_current_room}')::boolean, true) AS shows_room
       FROM users WHERE id = $1 AND status IN ('active', 'deletion_pending')
     ) u
       CROSS JOIN LATERAL (
         SELECT EXISTS (SELECT 1 FROM online_users WHERE user_id = u.id AND lease_until > now()) AS online
       ) o
       LEFT JOIN room_presence p ON p.user_id = u.id AND u.shows_room AND o.online
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private`,
    [userId],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  return toProfile(row);
}
