import { query } from "#shared/db/query.ts";

/** What `presence:update` tells. */
export interface PresenceUpdate {
  user_id: string;
  is_online: boolean;
  last_seen_at: string | null;
  /** The room that he is in, as far as his settings and the room let others know. */
  room_id: string | null;
}

/** `shown`: does he let others see it? `update` tells of one who does not that he is offline, and no more. */
export interface Presence {
  readonly update: PresenceUpdate;
  readonly shown: boolean;
}

/**
 * The presence of these users as it may be told to others. The room is named while he shows it, and it is open and not
 * private. Whoever has no account is left out.
 */
export async function presencesOf(userIds: readonly string[]): Promise<Presence[]> {
  const rows = await query<PresenceUpdate & { shown: boolean }>(
    `SELECT u.id AS user_id, o.online AS is_online, CASE WHEN o.shown THEN u.last_seen_at END AS last_seen_at,
       r.id AS room_id, o.shown
     FROM users u
       CROSS JOIN LATERAL (
         SELECT s.shown, s.shown AND EXISTS (
           SELECT 1 FROM online_users WHERE user_id = u.id AND lease_until > now()
         ) AS online
         FROM (SELECT coalesce((u.settings #>> '{privacy,show_online}')::boolean, true) AS shown) s
       ) o
       LEFT JOIN room_presence p ON p.user_id = u.id AND o.online
         AND coalesce((u.settings #>> '{privacy,show_current_room}')::boolean, true)
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private
     WHERE u.id = ANY($1::uuid[]) AND u.status <> 'deleted'`,
    [userIds],
  );
  return rows.map(({ shown, ...update }) => ({ update, shown }));
}
