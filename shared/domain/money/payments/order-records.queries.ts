import type { OrderRecords } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { coins } from "#shared/domain/money/ledger/assets.ts";
import { receiptsOf } from "./receipts.queries.ts";

const eventsMax = 100;

/**
 * Returns the whole story of an order: its payments with their refunds and disputes, its receipt, refund
 * requests, the provider's events, the subscription that it is a period of, and what reconciliations have found.
 */
export async function orderRecords(orderId: string): Promise<OrderRecords> {
  const payments = await query<Omit<OrderRecords["payments"][number], "refunds">>(
    `SELECT id, provider_payment_id, amount, settles, refunded_amount, created_at FROM payments
     WHERE order_id = $1 ORDER BY id`,
    [orderId],
  );
  const refunds = await query<OrderRecords["payments"][number]["refunds"][number] & { payment_id: string }>(
    `SELECT r.id, r.provider_refund_id, r.amount, CASE o.asset WHEN '${coins}' THEN r.credit ELSE 0 END AS coins,
       CASE o.asset WHEN '${coins}' THEN r.debt ELSE 0 END AS debt_coins, r.dispute, r.created_at, v.created_at AS reversed_at, r.payment_id
     FROM payment_refunds r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
       LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id
     WHERE p.order_id = $1 ORDER BY r.id`,
    [orderId],
  );
  const refund_requests = await query<OrderRecords["refund_requests"][number]>(
    `SELECT r.id, r.payment_id, r.amount, r.status, r.failure, r.reason, r.requested_by, r.created_at
     FROM payment_refund_requests r JOIN payments p ON p.id = r.payment_id WHERE p.order_id = $1 ORDER BY r.id`,
    [orderId],
  );
  const events = await query<OrderRecords["events"][number]>(
    `SELECT e.id, e.event_id, e.type, e.outcome, e.summary, e.created_at
     FROM payment_orders o JOIN payment_events e
       ON e.provider = o.provider AND e.summary #>> '{payment,order_id}' = o.provider_order_id
     WHERE o.id = $1 ORDER BY e.id DESC LIMIT ${eventsMax}`,
    [orderId],
  );
  const [subscription = null] = await query<NonNullable<OrderRecords["subscription"]>>(
    `SELECT s.id, s.provider_subscription_id, s.status, s.auto_renew, s.current_period_ends_at
     FROM store_purchases p JOIN subscriptions s ON s.id = p.subscription_id WHERE p.order_id = $1`,
    [orderId],
  );
  const findings = await query<OrderRecords["findings"][number]>(
    `SELECT id, day, kind, subject, provider_id, amount_here, amount_there, status, created_at
     FROM payment_findings WHERE order_id = $1 ORDER BY id DESC LIMIT ${eventsMax}`,
    [orderId],
  );
  return {
    payments: payments.map((payment) => ({
      ...payment,
      refunds: refunds.filter(({ payment_id }) => payment_id === payment.id).map(({ payment_id, ...refund }) => refund),
    })),
    receipts: await receiptsOf(orderId),
    refund_requests,
    events,
    subscription,
    findings,
  };
}
