import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** The name of a closed room whose own name was erased with its host. */
export const erasedRoomName = "Closed room";

/**
 * Step: erases what the user wrote in rooms and about their own rooms, in batches. Their rooms have been closed before.
 * Messages become deleted messages. Returns the number of rows.
 */
export async function eraseRooms(tx: Tx, userId: string): Promise<number> {
  const rooms = await tx.query(
    `UPDATE rooms SET name = $2, description = '', password_hash = NULL, close_reason = NULL WHERE id IN (
       SELECT id FROM rooms WHERE host_id = $1 AND status = 'closed'
         AND (name <> $2 OR description <> '' OR password_hash IS NOT NULL OR close_reason IS NOT NULL) LIMIT $3
     ) RETURNING 1`,
    [userId, erasedRoomName, batch],
  );
  const messages = await tx.query(
    `UPDATE room_messages SET body = '', client_id = NULL, deleted_at = coalesce(deleted_at, now()),
       deleted_by = coalesce(deleted_by, user_id)
     WHERE id IN (SELECT id FROM room_messages WHERE user_id = $1 AND body <> '' LIMIT $2) RETURNING 1`,
    [userId, batch],
  );
  const reasons = await tx.query(
    `UPDATE room_bans SET reason = '' WHERE (room_id, user_id) IN (
       SELECT room_id, user_id FROM room_bans WHERE banned_by = $1 AND reason <> '' LIMIT $2
     ) RETURNING 1`,
    [userId, batch],
  );
  const roles = await tx.query("DELETE FROM room_moderators WHERE user_id = $1 RETURNING 1", [userId]);
  const bans = await tx.query("DELETE FROM room_bans WHERE user_id = $1 RETURNING 1", [userId]);
  const presences = await tx.query("DELETE FROM room_presence WHERE user_id = $1 RETURNING 1", [userId]);
  return [rooms, messages, reasons, roles, bans, presences].reduce((total, { length }) => total + length, 0);
}
