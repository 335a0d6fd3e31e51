import { query } from "#shared/db/query.ts";

/** Deletes expired bans, in batches; a job calls it. Returns the number of rows. */
export async function pruneBans(most = 5000): Promise<number> {
  const pruned = await query(
    `DELETE FROM room_bans WHERE ctid IN (SELECT ctid FROM room_bans WHERE banned_until <= now() LIMIT $1)
       AND banned_until <= now() RETURNING 1`,
    [most],
  );
  return pruned.length;
}
