import { queryOne } from "#shared/db/query.ts";

/** What `presence:update` tells. */
export interface PresenceUpdate {
  user_id: string;
  is_online: boolean;
  last_seen_at: string | null;
  /** The room that he is in, as far as his settings and the room let others know. */
  room_id: string | null;
}

/** Somebody's presence as it is told to others. Offline for whoever is not there at all. */
export async function presenceOf(userId: string): Promise<PresenceUpdate> {
  const row = await queryOne<PresenceUpdate>(
    `SELECT u.id AS user_id, o.online AS is_online, u.last_seen_at, r.id AS room_id
     FROM users u
       CROSS JOIN LATERAL (
         SELECT EXISTS (SELECT 1 FROM online_users WHERE user_id = u.id AND lease_until > now()) AS online
       ) o
       LEFT JOIN room_presence p ON p.user_id = u.id AND o.online
         AND coalesce((u.settings #>> '{privacy,show_current_room}')::boolean, true)
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private
     WHERE u.id = $1`,
    [userId],
  );
  return row ?? { user_id: userId, is_online: false, last_seen_at: null, room_id: null };
}
