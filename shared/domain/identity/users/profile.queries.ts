import type { Me, Profile, UserSettings } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { tellBlocks } from "#shared/domain/identity/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { followCount, hasBlockedViewer, isActive, relationColumns } from "./relation-columns.ts";
import { frameBadge, vipBadge } from "./user-cards.queries.ts";
import { completeSettings } from "./user-settings.ts";

type Relation = Pick<Profile, "is_following" | "is_followed_by" | "friend_status" | "is_blocked">;

/** How a user is related to themselves. */
const noRelation: Relation = { is_following: false, is_followed_by: false, friend_status: "none", is_blocked: false };

type ProfileRow = Omit<Profile, keyof Relation | "current_room"> & { room_id: string | null; room_name: string | null };

type MeRow = ProfileRow &
  Omit<Me, keyof Profile | "settings" | "wallet"> & { settings: Partial<UserSettings>; balance: number };

/** Returns the room that the user is seen to be in. */
const roomIn = (id: string | null, name: string | null): Profile["current_room"] => (id && name ? { id, name } : null);

/**
 * The counts of the user `u`; `n` is the user's row of `user_counters`. Posts for followers count if the SQL condition
 * `follows` holds: those that the list of the user's posts shows.
 */
const counts = (follows: string) => `${followCount("u.id", "follower_id", "n")} AS followers_count,
  ${followCount("u.id", "followed_id", "n")} AS following_count,
  (SELECT count(*) FROM posts p
   WHERE p.author_id = u.id AND p.status = 'visible' AND (p.visibility = 'public' OR ${follows})) AS posts_count`;

const meQuery = `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
     ${vipBadge} AS vip, ${frameBadge} AS frame, ${counts("true")},
     EXISTS (SELECT 1 FROM online_users o WHERE o.user_id = u.id AND o.lease_until > now()) AS is_online,
     r.id AS room_id, r.name AS room_name,
     u.email, u.mobile, u.email_verified_at IS NOT NULL AS email_verified,
     u.mobile_verified_at IS NOT NULL AS mobile_verified, u.date_of_birth, u.status, u.language, u.settings, w.balance
   FROM users u JOIN wallets w ON w.user_id = u.id AND w.asset = 'coins'
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
  const { room_id, room_name, settings, balance, ...shown } = row;
  return {
    ...shown,
    ...noRelation,
    current_room: roomIn(room_id, room_name),
    settings: completeSettings(settings),
    wallet: { balance },
  };
}

/**
 * Returns a user as `viewerId` may see them. The current room is shown if the user shows presence and room, connected
 * or not, and the room is open, public, and not hosted by a user blocked by the viewer or blocking them. If the viewer
 * has blocked the user, neither presence nor room is shown.
 * @throws NOT_FOUND, also for suspended and deleted accounts and for users who have blocked the viewer
 */
export async function getProfile(viewerId: string, userId: string): Promise<Profile> {
  const row = await queryOne<ProfileRow & Relation & { blocked: boolean }>(
    `SELECT u.id, u.username, u.full_name, u.avatar_url, u.country, u.bio, u.cover_url, u.created_at,
       ${vipBadge} AS vip, ${frameBadge} AS frame, ${counts("u.is_following OR u.id = $2")}, u.is_following, u.is_followed_by, u.friend_status, u.is_blocked,
       u.blocked,
       o.shown AND EXISTS (SELECT 1 FROM online_users WHERE user_id = u.id AND lease_until > now()) AS is_online,
       r.id AS room_id, r.name AS room_name
     FROM (SELECT u.*, ${relationColumns}, ${hasBlockedViewer} AS blocked FROM users u WHERE u.id = $1 AND ${isActive}) u
       LEFT JOIN user_counters n ON n.user_id = u.id
       CROSS JOIN LATERAL (
         SELECT NOT u.is_blocked AND coalesce((u.settings #>> '{privacy,show_online}')::boolean, true) AS shown
       ) o
       LEFT JOIN room_presence p ON p.user_id = u.id AND o.shown
         AND coalesce((u.settings #>> '{privacy,show_current_room}')::boolean, true)
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private
         AND NOT is_blocked_between($2, r.host_id)`,
    [userId, viewerId],
  );
  if (!row) throw new DomainError("NOT_FOUND");
  const { room_id, room_name, blocked, ...profile } = row;
  tellBlocks("profile", { blocked, blocker: profile.is_blocked });
  return { ...profile, current_room: roomIn(room_id, room_name) };
}
