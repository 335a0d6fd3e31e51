import type { RoomPatch } from "#shared/contracts/actors.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { RoomRow } from "./rooms.queries.ts";

/**
 * The durable parts of the decisions of a room's actor. The actor runs them in the transaction that also writes its
 * live state, so that both happen or neither.
 */

export async function setModerator(tx: Tx, roomId: string, userId: string, moderator: boolean): Promise<void> {
  if (moderator)
    await tx.query("INSERT INTO room_moderators (room_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      roomId,
      userId,
    ]);
  else await tx.query("DELETE FROM room_moderators WHERE room_id = $1 AND user_id = $2", [roomId, userId]);
}

export async function banFromRoom(
  tx: Tx,
  ban: { roomId: string; userId: string; by: string; until: string; reason: string },
): Promise<void> {
  await tx.query(
    `INSERT INTO room_bans (room_id, user_id, banned_by, banned_until, reason) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (room_id, user_id) DO UPDATE SET banned_by = EXCLUDED.banned_by, banned_until = EXCLUDED.banned_until,
       reason = EXCLUDED.reason, created_at = now()`,
    [ban.roomId, ban.userId, ban.by, ban.until, ban.reason],
  );
}

/** Step: lifts the ban of one user, or all bans in the room. */
export async function liftBans(tx: Tx, roomId: string, userId?: string): Promise<void> {
  await tx.query("DELETE FROM room_bans WHERE room_id = $1 AND ($2::uuid IS NULL OR user_id = $2)", [
    roomId,
    userId ?? null,
  ]);
}

/** Step: deletes a message. @throws NOT_FOUND if it was deleted in the meantime */
export async function deleteMessage(tx: Tx, roomId: string, messageId: string, by: string): Promise<void> {
  const deleted = await tx.query(
    `UPDATE room_messages SET deleted_at = now(), deleted_by = $3
     WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL RETURNING 1`,
    [messageId, roomId, by],
  );
  if (deleted.length === 0) throw new DomainError("NOT_FOUND");
}

export async function updateRoom(tx: Tx, row: RoomRow): Promise<void> {
  await tx.query(
    `UPDATE rooms SET name = $2, category = $3, language = $4, description = $5, is_private = $6, password_hash = $7,
       seat_count = $8, cover_url = $9 WHERE id = $1`,
    [
      row.id,
      row.name,
      row.category,
      row.language,
      row.description,
      row.is_private,
      row.password_hash,
      row.seat_count,
      row.cover_url,
    ],
  );
}

/** Step: closes a room and ends all memberships. */
export async function closeRoom(tx: Tx, roomId: string, reason: string): Promise<void> {
  await tx.query(
    "UPDATE rooms SET status = 'closed', closed_at = now(), close_reason = $2 WHERE id = $1 AND status = 'open'",
    [roomId, reason],
  );
  await tx.query("DELETE FROM room_presence WHERE room_id = $1", [roomId]);
}

/** Returns the row with a patch applied. `passwordHash` is the hash of `patch.password` if that is a string. */
export function patchRow(row: RoomRow, patch: RoomPatch, passwordHash?: string): RoomRow {
  const { password, ...rest } = patch;
  const password_hash = password === undefined ? row.password_hash : password === null ? null : passwordHash!;
  return { ...row, ...rest, password_hash };
}
