import type { Tx } from "#shared/db/transaction.ts";

/** Step: adds reviews of this rating to the counters of a top-up, whose row is locked. */
export async function countReview(tx: Tx, topUpId: number, rating: number, change: -1 | 0 | 1): Promise<void> {
  if (change === 0) return;
  await tx.query(
    "UPDATE catalogue_top_ups SET total_review = total_review + $2, rating_sum = rating_sum + $2 * $3 WHERE id = $1",
    [topUpId, change, rating],
  );
}
