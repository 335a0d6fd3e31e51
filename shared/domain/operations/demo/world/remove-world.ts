import { inTransaction } from "#shared/db/transaction.ts";
import { erasureJob } from "#shared/domain/operations/deletion/deletion-jobs.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { demoDomain } from "./cast.ts";

/**
 * Enqueues the erasure of all demo people, as if each had requested it 14 days ago. Returns how many. The service does
 * it: their rooms must be closed by their actors.
 */
export async function removeWorld(): Promise<number> {
  return inTransaction(async (tx) => {
    const people = await tx.query<{ id: string }>(
      `UPDATE users SET status = 'deletion_pending', deletion_due_at = $2
       WHERE email LIKE '%@' || $1 AND status <> 'deleted' RETURNING id`,
      [demoDomain, isoNow()],
    );
    // Two a second: they know each other, so many at once would wait for each other's rows until they fail.
    for (const [index, { id }] of people.entries())
      await tx.enqueue(erasureJob, { user_id: id }, { afterSeconds: Math.floor(index / 2) });
    return people.length;
  });
}
