import { inTransaction } from "#shared/db/transaction.ts";
import { releaseOffers } from "#shared/domain/money/offers/apply-offer.ts";
import { reconcileJob } from "./reconcile-order.ts";

/**
 * Expires orders that were not paid in time, at most `most` of them, and has each provider asked once whether it was
 * paid after all. Returns how many. A job calls it until none are left. A later payment still settles them.
 */
export async function expireOrders(most = 100): Promise<number> {
  return inTransaction(async (tx) => {
    const expired = await tx.query<{ id: string; provider_order_id: string | null }>(
      `UPDATE payment_orders SET status = 'expired' WHERE id IN
         (SELECT id FROM payment_orders WHERE status = 'created' AND expires_at <= now()
          ORDER BY expires_at LIMIT $1 FOR NO KEY UPDATE SKIP LOCKED)
       RETURNING id, provider_order_id`,
      [most],
    );
    await releaseOffers(
      tx,
      expired.map(({ id }) => id),
    );
    for (const { id, provider_order_id } of expired)
      if (provider_order_id !== null) await tx.enqueue(reconcileJob, { order_id: id });
    return expired.length;
  });
}
