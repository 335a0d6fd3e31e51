import type { RoomPatch } from "#shared/contracts/actors.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { pinsMax } from "#shared/domain/base/messages/message-content.ts";
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
    `UPDATE room_messages SET deleted_at = now(), deleted_by = $3, media = NULL
     WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL RETURNING 1`,
    [messageId, roomId, by],
  );
  if (deleted.length === 0) throw new DomainError("NOT_FOUND");
  await tx.query("DELETE FROM message_pins WHERE message_id = $1", [messageId]);
}

const patchedColumns = [
  "name",
  "category",
  "language",
  "description",
  "is_private",
  "password_hash",
  "seat_count",
  "cover_url",
  "announcement",
  "welcome",
  "slow_mode_seconds",
  "links_allowed",
] as const;

export async function updateRoom(tx: Tx, row: RoomRow): Promise<void> {
  await tx.query(
    `UPDATE rooms SET ${patchedColumns.map((name, index) => `${name} = $${index + 2}`).join(", ")} WHERE id = $1`,
    [row.id, ...patchedColumns.map((name) => row[name])],
  );
}

/** Step: closes a room and ends all memberships. */
export async function closeRoom(tx: Tx, roomId: string, reason: string): Promise<void> {
  await tx.query(
    "UPDATE rooms SET status = 'closed', closed_at = now(), close_reason = $2 WHERE id = $1 AND status = 'open'",
    [roomId, reason],
  );
  await tx.query("DELETE FROM room_presence WHERE room_id = $1", [roomId]);
  await tx.query("DELETE FROM room_rules WHERE room_id = $1", [roomId]);
}

/** Returns the row with a patch applied. `passwordHash` is the hash of `patch.password` if that is a string. */
export function patchRow(row: RoomRow, patch: RoomPatch, passwordHash?: string): RoomRow {
  const { password, ...rest } = patch;
  const password_hash = password === undefined ? row.password_hash : password === null ? null : passwordHash!;
  return { ...row, ...rest, password_hash };
}

/**
 * Step: changes what a message says, and keeps what it said. Returns when.
 * @throws NOT_FOUND if it was deleted in the meantime
 */
export async function editMessage(tx: Tx, roomId: string, messageId: string, body: string): Promise<string> {
  const [edited] = await tx.query<{ edited_at: string }>(
    `WITH before AS (
       SELECT id, user_id, body FROM room_messages WHERE id = $1 AND room_id = $2 AND deleted_at IS NULL FOR UPDATE
     ), kept AS (
       INSERT INTO message_edits (message_id, user_id, body, edited_at)
       SELECT id, user_id, body, clock_timestamp() FROM before RETURNING edited_at
     )
     UPDATE room_messages m SET body = $3, edited_at = kept.edited_at FROM kept WHERE m.id = $1
     RETURNING m.edited_at`,
    [messageId, roomId, body],
  );
  if (!edited) throw new DomainError("NOT_FOUND");
  return edited.edited_at;
}

/** Step: pins a message. Returns false if it was pinned before. @throws NOT_FOUND, CONFLICT with too many */
export async function pinMessage(tx: Tx, roomId: string, messageId: string, by: string): Promise<boolean> {
  const [found] = await tx.query<{ pins: number; pinned: boolean }>(
    `SELECT (SELECT count(*) FROM message_pins WHERE place_id = $2) AS pins,
       EXISTS (SELECT 1 FROM message_pins p WHERE p.message_id = m.id) AS pinned
     FROM room_messages m WHERE m.id = $1 AND m.room_id = $2 AND m.deleted_at IS NULL FOR UPDATE`,
    [messageId, roomId],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  if (found.pinned) return false;
  if (found.pins >= pinsMax)
    throw new DomainError("CONFLICT", "{{most}} messages are pinned. Unpin one first.", { values: { most: pinsMax } });
  await tx.query("INSERT INTO message_pins (message_id, place_id, pinned_by) VALUES ($1, $2, $3)", [
    messageId,
    roomId,
    by,
  ]);
  return true;
}

/** Step: unpins a message. @throws NOT_FOUND if it isn't pinned */
export async function unpinMessage(tx: Tx, roomId: string, messageId: string): Promise<void> {
  const unpinned = await tx.query("DELETE FROM message_pins WHERE message_id = $1 AND place_id = $2 RETURNING 1", [
    messageId,
    roomId,
  ]);
  if (unpinned.length === 0) throw new DomainError("NOT_FOUND");
}
