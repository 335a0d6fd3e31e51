import { queryColumn } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { clock, daysMs, isoNow } from "#shared/kernel/clock.ts";
import { erasureJob } from "./deletion-jobs.ts";

/** A guest who hasn't been seen for this long is erased. */
const guestDays = 30;

/**
 * Erases guests who haven't been seen for 30 days, some at a time. Returns how many. Called by a job.
 */
export async function expireGuests(most = 500): Promise<number> {
  const since = new Date(clock.now() - daysMs(guestDays)).toISOString();
  const due = await queryColumn(
    `SELECT id FROM users u WHERE is_guest AND status = 'active' AND created_at < $1
       AND coalesce(last_seen_at, created_at) < $1
       AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id AND s.last_used_at >= $1)
     ORDER BY created_at LIMIT $2`,
    [since, most],
  );
  for (const id of due)
    await inTransaction(async (tx) => {
      // A guest who has linked a way to log in meanwhile stays.
      const [gone] = await tx.query(
        `UPDATE users SET status = 'deletion_pending', deletion_due_at = $2 WHERE id = $1 AND is_guest AND status = 'active'
         RETURNING 1`,
        [id, isoNow()],
      );
      if (!gone) return;
      await revokeSessionsOf(tx, id, "deletion requested");
      await tx.publish("user.deletion_requested", { user_id: id });
      await tx.enqueue(erasureJob, { user_id: id });
    });
  return due.length;
}
