import { queryOne } from "#shared/db/query.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { type RefundOutcome, refundPayment } from "#shared/domain/money/payments/refund-payment.ts";
import { reverseRefund } from "#shared/domain/money/payments/reverse-refund.ts";
import { lockPurchase } from "./record-purchase.ts";
import type { PurchaseProvider } from "./verified-purchase.ts";

/** A refund of a purchase, as its provider reports it. */
export interface PurchaseRefund {
  readonly provider: PurchaseProvider;
  readonly transactionId: string;
  /** The provider's ID of the refund, the same in each report of it. */
  readonly refundId: string;
  /** When the provider refunded it, or reported so, ISO 8601: a reversal with a later time has undone it. */
  readonly at: string;
  /** Which share of the price, 0 to 1. Default: what is left of it. */
  readonly share?: number;
  /** Default: `refunded`. */
  readonly state?: "refunded" | "revoked" | "disputed";
}

/** What became of a report about a purchase that isn't recorded, or whose order it came too late for. */
type Unapplied = "unknown_purchase" | "stale" | "unclaimed";

/**
 * Step: takes back what a purchase bought, once for each refund, in whichever order reports of it, of its purchase, and
 * of its reversal arrive. Record the purchase first. One that no one has claimed buys nothing any more.
 */
export async function refundPurchase(tx: Tx, refund: PurchaseRefund): Promise<RefundOutcome | Unapplied> {
  const { provider, transactionId, state = "refunded" } = refund;
  const row = await lockPurchase(tx, provider, transactionId);
  if (!row) return "unknown_purchase";
  if (row.reversed_at !== null && Date.parse(refund.at) <= Date.parse(row.reversed_at)) return "stale";
  const order = row.order_id ? await orderOf(row.order_id) : undefined;
  const left = order ? order.amount - order.refunded_amount : 0;
  const { share = 1 } = refund;
  const outcome = !order
    ? "unclaimed"
    : order.status === "refunded"
      ? "seen"
      : await refundPayment(
          tx,
          provider,
          { id: transactionId, orderId: transactionId, ...price(order), captured: true },
          {
            id: refund.refundId,
            amount: Math.min(left, Math.round(order.amount * share)),
            // A store tells of it when the bank has decided.
            ...(state === "disputed" && { dispute: "lost" as const }),
          },
        );
  await tx.query(
    `UPDATE store_purchases SET refunded_at = greatest(refunded_at, $2), state = CASE WHEN $3 THEN $4 ELSE state END
     WHERE id = $1`,
    [row.id, refund.at, outcome === "refunded" || (outcome === "unclaimed" && share === 1), state],
  );
  return outcome;
}

const price = ({ amount, currency }: { amount: number; currency: string }) => ({ amount, currency });

const orderOf = (orderId: string) =>
  queryOne<{ amount: number; currency: string; status: string; refunded_amount: number }>(
    `SELECT o.amount, o.currency, o.status, p.refunded_amount
     FROM payment_orders o JOIN payments p ON p.order_id = o.id AND p.settles WHERE o.id = $1`,
    [orderId],
  );

/**
 * Step: gives back what the refunds of a purchase took, because the provider took them back at `at`, ISO 8601. A refund
 * that is reported later with an earlier time has no effect any more; after a later refund, this hasn't.
 */
export async function reverseRefunds(
  tx: Tx,
  provider: PurchaseProvider,
  transactionId: string,
  at: string,
): Promise<"reversed" | "seen" | Unapplied> {
  const row = await lockPurchase(tx, provider, transactionId);
  if (!row) return "unknown_purchase";
  const time = Date.parse(at);
  if (row.refunded_at !== null && Date.parse(row.refunded_at) > time) return "stale";
  if (row.reversed_at !== null && Date.parse(row.reversed_at) >= time) return "seen";
  const state = !row.order_id ? "pending" : row.acknowledged_at ? "acknowledged" : "paid";
  await tx.query("UPDATE store_purchases SET reversed_at = $2, state = $3 WHERE id = $1", [row.id, at, state]);
  if (!row.order_id) return "unclaimed";
  const refunds = await tx.query<{ provider_refund_id: string }>(
    `SELECT r.provider_refund_id FROM payment_refunds r JOIN payments p ON p.id = r.payment_id
     WHERE p.order_id = $1 ORDER BY r.id`,
    [row.order_id],
  );
  for (const { provider_refund_id } of refunds) await reverseRefund(tx, provider, provider_refund_id);
  return "reversed";
}
