import { locks } from "#shared/db/locks.ts";
import { columnOf, queryColumn } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";

/**
 * Tracks who is online: users with a connection, over any transport of any process. A process has one row for each user
 * whose connections it holds, with a lease of 30 s. It counts the connections itself, and reports here when it holds
 * the first and when it has lost the last. A process that dies is forgotten when its leases expire.
 */

/** How often a process renews its leases, in milliseconds: a lease outlives two failed renewals. */
export const renewEveryMs = 10_000;

/** Number of users in one transaction of `dropAll`: each takes a lock. */
const batchSize = 500;

/**
 * Records that this process holds connections of a user. Returns whether that brought them online: no other process
 * held any.
 */
export function connectionOpened(userId: string, processId: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    await lockPresence(tx, [userId]);
    const [row] = await tx.query<{ first: boolean }>(
      `WITH mine AS (
         INSERT INTO online_users (user_id, process_id, lease_until) VALUES ($1, $2, now() + interval '30 seconds')
         ON CONFLICT (user_id, process_id) DO UPDATE SET lease_until = EXCLUDED.lease_until
       )
       SELECT NOT EXISTS (
         SELECT 1 FROM online_users WHERE user_id = $1 AND process_id <> $2 AND lease_until > now()
       ) AS first`,
      [userId, processId],
    );
    return row?.first ?? false;
  });
}

/**
 * Records that this process holds no connections of a user. Returns whether that took them offline: no other process
 * holds any.
 */
export function connectionClosed(userId: string, processId: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    await lockPresence(tx, [userId]);
    return (await drop(tx, processId, [userId])).length > 0;
  });
}

/**
 * Renews the leases of a process, in one statement; called every 10 s with all users whose connections it holds. Other
 * rows expire. Returns the users whose rows are missing (the table doesn't survive a crash of the database): if the
 * process still holds their connections, it opens them again.
 */
export async function renewLeases(processId: string, userIds: readonly string[]): Promise<string[]> {
  if (userIds.length === 0) return [];
  const renewed = await alone<{ user_id: string }>(
    `UPDATE online_users SET lease_until = now() + interval '30 seconds'
     WHERE process_id = $1 AND user_id = ANY($2::uuid[]) RETURNING user_id`,
    [processId, userIds],
  );
  const held = new Set(renewed.map(({ user_id }) => user_id));
  return userIds.filter((userId) => !held.has(userId));
}

/**
 * Drops all connections of a process that is ending or known to be dead. Returns the users who went offline by it, so
 * that others can be notified.
 */
export async function dropProcess(processId: string): Promise<string[]> {
  const text = "SELECT user_id FROM online_users WHERE process_id = $1 ORDER BY user_id LIMIT $2";
  return dropAll(processId, text, [processId, batchSize]);
}

/**
 * Drops the leases of processes that died silently. Any process may call it, after renewing its own leases. Expired
 * leases already count for nothing. Leases that expired in the last 15 s are kept: after an outage, every process
 * renews its own first. Returns the users who went offline by it, each to one caller.
 */
export async function dropExpiredLeases(): Promise<string[]> {
  const text = `SELECT DISTINCT user_id FROM online_users WHERE lease_until <= now() - interval '15 seconds'
    ORDER BY user_id LIMIT $1`;
  return dropAll(null, text, [batchSize]);
}

/** Drops the leases of the users whom a statement finds, batch after batch until it finds none. */
async function dropAll(processId: string | null, text: string, values: readonly unknown[]): Promise<string[]> {
  const offline: string[] = [];
  for (;;) {
    const gone = await inTransaction(async (tx) => {
      const userIds = await queryColumn(text, values);
      if (userIds.length === 0) return undefined;
      await lockPresence(tx, userIds);
      return drop(tx, processId, userIds);
    });
    if (!gone) return offline;
    offline.push(...gone);
  }
}

/**
 * Step: drops, under the lock, the leases of one process (or of none) and expired ones. Users without another lease go
 * offline.
 */
async function drop(tx: Tx, processId: string | null, userIds: string[]): Promise<string[]> {
  const gone = await tx.query<Record<string, string>>(
    `WITH dropped AS (
       DELETE FROM online_users
       WHERE user_id = ANY($2::uuid[]) AND (coalesce(process_id = $1, false) OR lease_until <= now()) RETURNING user_id
     )
     UPDATE users SET last_seen_at = now() WHERE id IN (SELECT user_id FROM dropped) AND NOT EXISTS (
       SELECT 1 FROM online_users o
       WHERE o.user_id = users.id AND o.lease_until > now() AND NOT coalesce(o.process_id = $1, false)
     ) RETURNING id`,
    [processId, userIds],
  );
  return columnOf(gone);
}

/**
 * Step: locks the presence of these users until the end of the transaction. Two processes that write at the same time
 * would otherwise each see the other's old row, and both or neither would report the change.
 */
async function lockPresence(tx: Tx, userIds: readonly string[]): Promise<void> {
  await tx.query(
    `SELECT pg_advisory_xact_lock($1, key)
     FROM (SELECT DISTINCT hashtext(id) AS key FROM unnest($2::text[]) AS id ORDER BY key) AS ordered`,
    [locks.presence, userIds],
  );
}
