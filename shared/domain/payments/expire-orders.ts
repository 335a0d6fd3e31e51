import { inTransaction } from "#shared/db/transaction.ts";
import { reconcileJob } from "./reconcile-order.ts";

/**
 * Ends orders whose time is over, some at a time, and has their provider asked once whether money came after all. A job
 * calls it. Answers how many; 0 when none are left. Money that comes later still pays them.
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
    for (const { id, provider_order_id } of expired)
      if (provider_order_id !== null) await tx.enqueue(reconcileJob, { order_id: id });
    return expired.length;
  });
}
