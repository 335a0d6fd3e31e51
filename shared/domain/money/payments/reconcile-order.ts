import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { logger } from "#shared/kernel/logger.ts";
import { toOpenOrder } from "./create-order.ts";
import { findProvider } from "./payments.config.ts";
import { findOrderRow, isPaid } from "./payments.queries.ts";
import { settlePayment } from "./settle-payment.ts";

/** Asks the provider about an order without a known payment; retried for some hours if the provider is unreachable. */
export const reconcileJob = defineJob<{ order_id: string }>("payments.reconcile", {
  retries: 14,
  retryMaxSeconds: 3600,
  timeoutSeconds: 60,
});

/**
 * Settles an order by the provider's records, for a payment whose webhook was lost and whose client never returned.
 * Captures reserved money, and closes an expired order there first. Idempotent.
 * @throws ENGINE_UNAVAILABLE when the provider does not respond
 */
export async function reconcileOrder(orderId: string): Promise<void> {
  const order = await findOrderRow(orderId);
  if (!order?.provider_order_id || isPaid(order)) return;
  const provider = findProvider(order.provider);
  if (!provider) {
    logger.warn({ orderId, provider: order.provider }, "the provider of an order is no longer configured");
    return;
  }
  const open = toOpenOrder(order);
  if (order.status === "expired") await provider.closeOrder?.(open);
  const payments = await provider.capturePaymentsOf(open);
  for (const payment of payments)
    if (payment.captured) {
      const outcome = await inTransaction((tx) => settlePayment(tx, order.provider, payment));
      logger.info({ orderId, outcome }, "found a payment at the provider whose webhook was missing");
    }
}
