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

/** Somebody in a room, and who is about to be told of it. */
export interface Sight {
  readonly user_id: string;
  readonly room_id: string;
  readonly watcher_id: string;
}

/** Those of the sights whose watcher has nothing to do with the host of the room. */
export async function hiddenSights(sights: readonly Sight[]): Promise<Pick<Sight, "user_id" | "watcher_id">[]> {
  if (sights.length === 0) return [];
  return query<Pick<Sight, "user_id" | "watcher_id">>(
    `SELECT s.user_id, s.watcher_id
     FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) AS s (user_id, room_id, watcher_id) JOIN rooms r ON r.id = s.room_id
     WHERE is_blocked_between(r.host_id, s.watcher_id)`,
    [
      sights.map(({ user_id }) => user_id),
      sights.map(({ room_id }) => room_id),
      sights.map((sight) => sight.watcher_id),
    ],
  );
}
