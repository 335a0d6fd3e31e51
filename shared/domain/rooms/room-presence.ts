import { query, queryOne } from "#shared/db/query.ts";

/**
 * A user is live in one room at a time. The room that he joins last writes him down here and learns which room he was in
 * before, and whether he and its host have nothing to do with each other: a block that was made while he came in. `join_id`
 * names one membership, so that a late word about an old one cannot end a newer one.
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
 * Writes down the memberships, `[user, join_id]`, that a room's new actor begins with. Answers of whom: whoever is in another
 * room by now stays there.
 */
export async function stayInRoom(
  roomId: string,
  memberships: readonly (readonly [userId: string, joinId: string])[],
): Promise<Set<string>> {
  if (memberships.length === 0) return new Set();
  const rows = await query<{ user_id: string }>(
    `INSERT INTO room_presence AS p (user_id, room_id, join_id)
     SELECT m.user_id, $1, m.join_id FROM unnest($2::uuid[], $3::uuid[]) AS m (user_id, join_id)
     ON CONFLICT (user_id) DO UPDATE SET join_id = EXCLUDED.join_id WHERE p.room_id = EXCLUDED.room_id
     RETURNING user_id`,
    [roomId, memberships.map(([userId]) => userId), memberships.map(([, joinId]) => joinId)],
  );
  return new Set(rows.map(({ user_id }) => user_id));
}

/** Answers whether that membership was still the one written down. */
export async function exitRoom(userId: string, joinId: string): Promise<boolean> {
  const gone = await query("DELETE FROM room_presence WHERE user_id = $1 AND join_id = $2 RETURNING 1", [
    userId,
    joinId,
  ]);
  return gone.length > 0;
}

/** The room that a user is live in. */
export async function roomOf(userId: string): Promise<string | undefined> {
  const row = await queryOne<{ room_id: string }>("SELECT room_id FROM room_presence WHERE user_id = $1", [userId]);
  return row?.room_id;
}
