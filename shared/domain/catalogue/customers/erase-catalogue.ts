import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

const batch = 500;

/**
 * Step: deletes a user's reviews, with the counters of the top-ups, and what they typed in orders. The orders stay; the
 * user is no longer a customer.
 */
export async function eraseCatalogue(tx: Tx, userId: string): Promise<number> {
  const some = await tx.query<{ id: number; top_up_id: number }>(
    `SELECT r.id, r.top_up_id FROM catalogue_reviews r JOIN catalogue_customers k ON k.id = r.customer_id
     WHERE k.user_id = $1 LIMIT $2`,
    [userId, batch],
  );
  await tx.query("SELECT 1 FROM catalogue_top_ups WHERE id = ANY ($1::integer[]) ORDER BY id FOR NO KEY UPDATE", [
    some.map(({ top_up_id }) => top_up_id),
  ]);
  await tx.query(
    `WITH gone AS (DELETE FROM catalogue_reviews WHERE id = ANY ($1::integer[]) RETURNING top_up_id, rating, status)
     UPDATE catalogue_top_ups p SET total_review = total_review - 1, rating_sum = rating_sum - gone.rating
     FROM gone WHERE p.id = gone.top_up_id AND gone.status = 1`,
    [some.map(({ id }) => id)],
  );
  await tx.query("UPDATE catalogue_customers SET status = 'suspended' WHERE user_id = $1 AND status <> 'suspended'", [
    userId,
  ]);
  const orders = await countChanges(
    tx,
    userId,
    `UPDATE catalogue_orders SET order_information = NULL WHERE id IN (
       SELECT o.id FROM catalogue_orders o JOIN catalogue_customers k ON k.id = o.customer_id
       WHERE k.user_id = $1 AND o.order_information IS NOT NULL LIMIT ${batch}
     ) RETURNING 1`,
  );
  return some.length + orders;
}
