import { query } from "#shared/db/query.ts";

/** The payload of `presence:update`. */
export interface PresenceUpdate {
  user_id: string;
  is_online: boolean;
  last_seen_at: string | null;
  /** The room that the user is in, if their settings and the room let others know. */
  room_id: string | null;
}

/**
 * `shown`: whether the user lets others see their presence. If not, `update` says no more than that they are offline.
 */
export interface Presence {
  readonly update: PresenceUpdate;
  readonly shown: boolean;
}

/**
 * Returns the presence of these users as others may see it. Names the room if the user shows it and the room is open
 * and not private. Leaves out users without an account.
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
       LEFT JOIN room_presence p ON p.user_id = u.id AND o.shown
         AND coalesce((u.settings #>> '{privacy,show_current_room}')::boolean, true)
       LEFT JOIN rooms r ON r.id = p.room_id AND r.status = 'open' AND NOT r.is_private
     WHERE u.id = ANY($1::uuid[]) AND u.status <> 'deleted'`,
    [userIds],
  );
  return rows.map(({ shown, ...update }) => ({ update, shown }));
}

/** A user in a room, and a watcher who is about to be notified of it. */
export interface Sight {
  readonly user_id: string;
  readonly room_id: string;
  readonly watcher_id: string;
}

/** Returns the sights of those watchers between whom and the room's host no block stands. */
export async function hiddenSights(sights: readonly Sight[]): Promise<Pick<Sight, "user_id" | "watcher_id">[]> {
  if (sights.length === 0) return [];
  return query<Pick<Sight, "user_id" | "watcher_id">>(
    `SELECT s.user_id, s.watcher_id
     FROM jsonb_to_recordset($1::jsonb) AS s (user_id uuid, room_id uuid, watcher_id uuid) JOIN rooms r ON r.id = s.room_id
     WHERE is_blocked_between(r.host_id, s.watcher_id)`,
    [JSON.stringify(sights)],
  );
}
