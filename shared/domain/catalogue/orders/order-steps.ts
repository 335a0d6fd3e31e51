import type { Principal } from "#shared/contracts/principal.ts";
import type { WebhookDelivery } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { releaseCode } from "#shared/domain/catalogue/codes/codes.ts";
import { instant } from "#shared/domain/catalogue/products/catalogue-rows.ts";
import { queueWebhook } from "#shared/domain/catalogue/webhooks/deliveries.ts";
import { refundOrder } from "./pay-order.ts";

/** Step: lets the reseller's servers hear that the status of an order has changed. */
async function announceOrder(tx: Tx, orderId: number): Promise<void> {
  const [order] = await tx.query<WebhookDelivery["payload"]["data"] & { user_id: string }>(
    `SELECT k.user_id, o.id, CASE WHEN o.card_id IS NULL THEN 'top_up' ELSE 'card' END AS kind, o.top_up_id, o.card_id,
       coalesce(o.service_id, o.card_service_id) AS service_id, o.status, ${instant("o.updated_at")} AS updated_at
     FROM catalogue_orders o JOIN catalogue_customers k ON k.id = o.customer_id WHERE o.id = $1`,
    [orderId],
  );
  const { user_id, ...data } = order!;
  await queueWebhook(tx, user_id, "order.updated", data);
}

/** Steps that end an open order. Each returns whether it did: an order that has ended stays as it is. */

const ended = "next_try_at = NULL, asking_until = NULL, problem = NULL, updated_at = now(), version = version + 1";
const isOpen = "status IN ('placed', 'processing')";

/** Step: marks an order that its provider is about to be asked about. */
export async function startOrder(tx: Tx, orderId: number): Promise<void> {
  await tx.query(
    `UPDATE catalogue_orders SET status = 'processing', updated_at = now(), version = version + 1
     WHERE id = $1 AND status = 'placed'`,
    [orderId],
  );
  await announceOrder(tx, orderId);
}

/** Step: completes an open order. `delivery` says what was delivered; it is no code. */
export async function completeOrder(
  tx: Tx,
  orderId: number,
  { delivery }: { readonly delivery?: string },
): Promise<boolean> {
  const completed = await tx.query(
    `UPDATE catalogue_orders SET status = 'completed', completed_at = now(), delivery = $2, ${ended}
     WHERE id = $1 AND ${isOpen} RETURNING 1`,
    [orderId, delivery ?? null],
  );
  if (completed.length === 0) return false;
  await announceOrder(tx, orderId);
  return true;
}

interface CancelledRow {
  readonly campaign_id: number | null;
  readonly card_id: number | null;
  readonly was_due: boolean;
  readonly currency: string;
  readonly customer_id: number;
  readonly total: string;
}

/**
 * Step: cancels an open order. What it took goes back: the money of a paid order or the credit of another, the sale of
 * its campaign, the code and the sale of its card. In the order of `insertOrder`, so that the two don't block each
 * other.
 */
export async function cancelOrder(tx: Tx, by: Principal, orderId: number, reason: string): Promise<boolean> {
  const [order] = await tx.query<CancelledRow>(
    `UPDATE catalogue_orders SET status = 'cancelled', reason = $2, due_at = NULL, ${ended}
     FROM (SELECT due_at IS NOT NULL AS was_due FROM catalogue_orders WHERE id = $1 FOR NO KEY UPDATE) before
     WHERE id = $1 AND ${isOpen}
     RETURNING campaign_id, card_id, was_due, currency, customer_id, total`,
    [orderId, reason],
  );
  if (!order) return false;
  if (order.was_due)
    await tx.query(
      "UPDATE catalogue_credit SET due = due - ($3::numeric * 10000)::bigint WHERE customer_id = $1 AND currency = $2",
      [order.customer_id, order.currency, order.total],
    );
  await refundOrder(tx, by, orderId);
  await releaseCode(tx, orderId);
  if (order.card_id !== null)
    await tx.query("UPDATE catalogue_cards SET sell_count = sell_count - 1 WHERE id = $1", [order.card_id]);
  if (order.campaign_id !== null)
    await tx.query("UPDATE catalogue_campaigns SET offered_sell = offered_sell - 1, updated_at = now() WHERE id = $1", [
      order.campaign_id,
    ]);
  await announceOrder(tx, orderId);
  return true;
}
