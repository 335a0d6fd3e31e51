import { columnOf, query, queryOne } from "#shared/db/query.ts";
import { alone, type Tx } from "#shared/db/transaction.ts";
import type { MediaRight } from "./media-server.ts";
import { voice } from "./voice.config.ts";

/** A user whose right must be asked for and carried to the media server. */
export interface DueGrant {
  readonly room_id: string;
  readonly user_id: string;
  /** Incremented with each change, so that a change during the work is noticed. */
  readonly changes: number;
  readonly attempts: number;
  readonly changed_at: string;
}

/**
 * Records that a user is about to hold a token for a room's media, and that the room must be watched. Every later
 * change of their right finds them.
 */
export async function recordHolder(roomId: string, userId: string): Promise<void> {
  const { watchEveryMs, watchForMs } = voice().timings;
  await alone(
    `WITH watched AS (
       INSERT INTO voice_watches (room_id, look_at, watch_until)
       VALUES ($1, now() + $3 * interval '1 ms', now() + $4 * interval '1 ms')
       ON CONFLICT (room_id) DO UPDATE SET watch_until = greatest(voice_watches.watch_until, EXCLUDED.watch_until))
     INSERT INTO voice_grants (room_id, user_id) VALUES ($1, $2)
     ON CONFLICT (room_id, user_id) DO UPDATE SET changes = voice_grants.changes + 1`,
    [roomId, userId, watchEveryMs, watchForMs],
  );
}

/** Marks the token holders among these users: their right may be different after this transaction. */
export async function markChanged(tx: Tx, roomId: string, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `UPDATE voice_grants SET media_right = NULL, changes = changes + 1, changed_at = now(), due_at = now()
     WHERE room_id = $1 AND user_id = ANY($2::uuid[])`,
    [roomId, userIds],
  );
}

/** Marks users whom the media server has with another right than they were given, or without any. */
export async function markWrong(roomId: string, userIds: readonly string[]): Promise<void> {
  await alone(
    `INSERT INTO voice_grants (room_id, user_id) SELECT $1, id FROM users WHERE id = ANY($2::uuid[])
     ON CONFLICT (room_id, user_id) DO UPDATE
       SET media_right = NULL, changes = voice_grants.changes + 1, changed_at = now(), due_at = now()
       WHERE voice_grants.media_right IS NOT NULL`,
    [roomId, userIds],
  );
}

/**
 * Deletes the holders of a room in which no user has a permission any more. The watch finds participants who stay or
 * come back.
 */
export async function forgetHolders(tx: Tx, roomId: string): Promise<void> {
  await tx.query("DELETE FROM voice_grants WHERE room_id = $1", [roomId]);
}

/** Leases due grants, each to one worker of the whole service at a time. */
export async function leaseDueGrants(most: number): Promise<DueGrant[]> {
  return alone<DueGrant>(
    `WITH due AS (
       SELECT room_id, user_id FROM voice_grants
       WHERE media_right IS NULL AND due_at <= now() AND (leased_until IS NULL OR leased_until <= now())
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE voice_grants g SET leased_until = now() + $2 * interval '1 ms' FROM due
     WHERE g.room_id = due.room_id AND g.user_id = due.user_id
     RETURNING g.room_id, g.user_id, g.changes, g.attempts, g.changed_at`,
    [most, voice().timings.leaseMs],
  );
}

/** Ends a lease with the right that was carried over. A change that came in between stays due. */
export async function settleGrant(grant: DueGrant, right: MediaRight): Promise<void> {
  await alone(
    `UPDATE voice_grants SET leased_until = NULL, attempts = 0,
       media_right = CASE WHEN changes = $3 THEN $4 END
     WHERE room_id = $1 AND user_id = $2`,
    [grant.room_id, grant.user_id, grant.changes, right],
  );
}

/** Ends a lease on a user who was removed. If they are back in the room by then, they stay due. */
export async function dropGrant(grant: DueGrant): Promise<void> {
  const same = [grant.room_id, grant.user_id, grant.changes];
  await alone("DELETE FROM voice_grants WHERE room_id = $1 AND user_id = $2 AND changes = $3", same);
  await alone(
    "UPDATE voice_grants SET leased_until = NULL, attempts = 0 WHERE room_id = $1 AND user_id = $2 AND changes <> $3",
    same,
  );
}

/** Ends a lease without success: the next attempt is in `pauseMs`. */
export async function postponeGrant(grant: DueGrant, pauseMs: number): Promise<void> {
  await alone(
    `UPDATE voice_grants SET leased_until = NULL, attempts = attempts + 1, due_at = now() + $3 * interval '1 ms'
     WHERE room_id = $1 AND user_id = $2`,
    [grant.room_id, grant.user_id, pauseMs],
  );
}

/** Leases the rooms whose participants are due to be checked. Each is due again after the usual interval. */
export function takeDueWatches(most: number): Promise<string[]> {
  return alone<Record<string, string>>(
    `WITH due AS (
       SELECT room_id FROM voice_watches WHERE look_at <= now() ORDER BY look_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     UPDATE voice_watches w SET look_at = now() + $2 * interval '1 ms' FROM due
     WHERE w.room_id = due.room_id RETURNING w.room_id`,
    [most, voice().timings.watchEveryMs],
  ).then(columnOf);
}

/** Records that a participant is connected: the watch continues until they can no longer come back. */
export async function prolongWatch(roomId: string): Promise<void> {
  await alone("UPDATE voice_watches SET watch_until = now() + $2 * interval '1 ms' WHERE room_id = $1", [
    roomId,
    voice().timings.watchForMs,
  ]);
}

export async function endWatchIfOver(roomId: string): Promise<void> {
  await alone("DELETE FROM voice_watches WHERE room_id = $1 AND watch_until <= now()", [roomId]);
}

export interface Holder {
  readonly user_id: string;
  /** The right that the media server was last given; null while it is being changed. */
  readonly media_right: MediaRight | null;
  readonly absent: boolean;
}

/** Returns the token holders among these users. */
export async function holdersAmong(roomId: string, userIds: readonly string[]): Promise<Holder[]> {
  return query<Holder>(
    `SELECT user_id, media_right, absent_since IS NOT NULL AS absent FROM voice_grants
     WHERE room_id = $1 AND user_id = ANY($2::uuid[])`,
    [roomId, userIds],
  );
}

/** Records which of these holders are not in the room. Returns those who have been absent for too long. */
export async function noteAbsent(
  roomId: string,
  { userIds, absent }: { userIds: readonly string[]; absent: readonly string[] },
): Promise<string[]> {
  const rows = await alone<{ user_id: string; over: boolean | null }>(
    `UPDATE voice_grants SET absent_since = CASE WHEN user_id = ANY($3::uuid[]) THEN coalesce(absent_since, now()) END
     WHERE room_id = $1 AND user_id = ANY($2::uuid[]) AND (absent_since IS NOT NULL OR user_id = ANY($3::uuid[]))
     RETURNING user_id, absent_since <= now() - $4 * interval '1 ms' AS over`,
    [roomId, userIds, absent, voice().timings.absentForMs],
  );
  return rows.filter(({ over }) => over).map(({ user_id }) => user_id);
}

/**
 * Deletes holders in rooms that are no longer watched: their tokens can no longer be used. Returns the number of rows.
 */
export async function pruneGrants(): Promise<number> {
  const pruned = await alone(
    `DELETE FROM voice_grants g WHERE media_right IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM voice_watches w WHERE w.room_id = g.room_id) RETURNING 1`,
  );
  return pruned.length;
}

/** Returns the name that the other participants see. */
export async function displayName(userId: string): Promise<string> {
  const row = await queryOne<{ full_name: string }>("SELECT full_name FROM users WHERE id = $1", [userId]);
  return row?.full_name ?? "";
}
