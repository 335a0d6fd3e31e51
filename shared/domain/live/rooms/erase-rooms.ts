import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 1000;

/** The name of a closed room whose own name was erased with its host. */
const erasedRoomName = "Closed room";

/**
 * Step: erases what the user wrote in rooms and about their own rooms, in batches. Their rooms have been closed before.
 * Messages become deleted messages. Returns the number of rows.
 */
export const eraseRooms = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    `UPDATE rooms SET name = '${erasedRoomName}', description = '', cover_url = NULL, announcement = '', welcome = '',
       password_hash = NULL, close_reason = NULL
     WHERE id IN (
       SELECT id FROM rooms WHERE host_id = $1 AND status = 'closed' AND (name <> '${erasedRoomName}'
         OR description <> '' OR cover_url IS NOT NULL OR announcement <> '' OR welcome <> ''
         OR password_hash IS NOT NULL OR close_reason IS NOT NULL) LIMIT ${batch}
     ) RETURNING 1`,
    `UPDATE room_messages SET body = '', media = NULL, mentions = NULL, client_id = NULL, deleted_at = coalesce(deleted_at, now()),
       deleted_by = coalesce(deleted_by, user_id)
     WHERE id IN (SELECT id FROM room_messages WHERE user_id = $1 AND body <> '' LIMIT ${batch}) RETURNING 1`,
    `UPDATE room_messages SET media = NULL, mentions = NULL, client_id = NULL, deleted_at = coalesce(deleted_at, now()),
       deleted_by = coalesce(deleted_by, user_id)
     WHERE id IN (SELECT id FROM room_messages WHERE user_id = $1 AND media IS NOT NULL LIMIT ${batch}) RETURNING 1`,
    `UPDATE room_bans SET reason = '' WHERE (room_id, user_id) IN (
       SELECT room_id, user_id FROM room_bans WHERE banned_by = $1 AND reason <> '' LIMIT ${batch}
     ) RETURNING 1`,
    "UPDATE room_rules SET changed_by = NULL WHERE changed_by = $1 RETURNING 1",
    "DELETE FROM room_moderators WHERE user_id = $1 RETURNING 1",
    "DELETE FROM room_bans WHERE user_id = $1 RETURNING 1",
    "DELETE FROM room_presence WHERE user_id = $1 RETURNING 1",
  );
