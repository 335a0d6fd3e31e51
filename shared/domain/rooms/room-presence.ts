import { query, queryColumn, queryOne } from "#shared/db/query.ts";

/**
 * Records the room that a user is in: one at a time, the one they joined last. Returns the room they were in before,
 * and whether a block stands between them and the host, which may have been made while they joined. `join_id` names one
 * membership, so that a late message about an old one can't end a newer one.
 */
export async function enterRoom(
  userId: string,
  roomId: string,
  joinId: string,
): Promise<{ previous: { room_id: string; join_id: string } | null; blocked: boolean }> {
  const row = await queryOne<{ room_id: string | null; join_id: string | null; blocked: boolean }>(
    `INSERT INTO room_presence (user_id, room_id, join_id) VALUES ($1, $2, $3)
     ON CONFLICT (user_id) DO UPDATE SET room_id = EXCLUDED.room_id, join_id = EXCLUDED.join_id
     RETURNING old.room_id, old.join_id,
       is_blocked_between($1, (SELECT host_id FROM rooms r WHERE r.id = $2)) AS blocked`,
    [userId, roomId, joinId],
  );
  const previous = row?.room_id && row.join_id ? { room_id: row.room_id, join_id: row.join_id } : null;
  return { previous, blocked: row?.blocked ?? false };
}

/**
 * Records the memberships, `[user, join_id]`, with which a room's new actor starts. Returns the users it recorded:
 * users who are in another room by now stay there.
 */
export async function stayInRoom(
  roomId: string,
  memberships: readonly (readonly [userId: string, joinId: string])[],
): Promise<Set<string>> {
  if (memberships.length === 0) return new Set();
  const stayed = await queryColumn(
    `INSERT INTO room_presence AS p (user_id, room_id, join_id)
     SELECT m.user_id, $1, m.join_id FROM unnest($2::uuid[], $3::uuid[]) AS m (user_id, join_id)
     ON CONFLICT (user_id) DO UPDATE SET join_id = EXCLUDED.join_id WHERE p.room_id = EXCLUDED.room_id
     RETURNING user_id`,
    [roomId, memberships.map(([userId]) => userId), memberships.map(([, joinId]) => joinId)],
  );
  return new Set(stayed);
}

/** Ends a membership. Returns whether it was still the recorded one. */
export async function exitRoom(userId: string, joinId: string): Promise<boolean> {
  const gone = await query("DELETE FROM room_presence WHERE user_id = $1 AND join_id = $2 RETURNING 1", [
    userId,
    joinId,
  ]);
  return gone.length > 0;
}

/** Returns the room that a user is in. */
export async function roomOf(userId: string): Promise<string | undefined> {
  const row = await queryOne<{ room_id: string }>("SELECT room_id FROM room_presence WHERE user_id = $1", [userId]);
  return row?.room_id;
}
