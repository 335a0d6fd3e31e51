import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import { type TransferEntry, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { nothing, storeTaken, sumOf, whatToTake } from "./clawback.ts";
import { loseDispute, publishNewDispute } from "./disputes.ts";
import type { Taken } from "./follow-coins.ts";
import type { ProviderPayment, ProviderRefund, Settlement } from "./providers/provider.ts";
import { issueReceipt } from "./receipts.ts";
import { houseEntries, shareType, unitOf } from "./refund-entries.ts";
import { type LockedOrder, lockOrder, settlePayment } from "./settle-payment.ts";

export type RefundOutcome =
  | "refunded"
  /** Part of the money was refunded; the order stays paid. */
  | "partly_refunded"
  /** A payment that had bought nothing was refunded. */
  | "surplus_refunded"
  | Exclude<Settlement, "paid" | "surplus">;

interface PaymentRow {
  id: string;
  amount: number;
  settles: boolean;
  refunded_amount: number;
}

/**
 * Step: takes back what refunded money had bought, once for each refund. Coins, or the money of a deposit, go back in
 * proportion to the refunded money, rounded down, and all of them after a full refund. What the wallet no longer holds
 * is booked as the user's debt to the house, which what they buy next pays first; but if the settings say so, what
 * others got of gifts for these coins, or of a seller's stock, is taken back from them before. Publishes
 * `order.refunded` after a full refund, `seller.refunded` for each transfer that it takes from the recipient's wallet,
 * and for a dispute `dispute.opened` and `dispute.lost`. A refund that arrives before its payment settles it first, so
 * the order of events doesn't matter.
 */
export async function refundPayment(
  tx: Tx,
  provider: string,
  payment: ProviderPayment,
  refund: ProviderRefund,
): Promise<RefundOutcome> {
  const settlement = await settlePayment(tx, provider, payment);
  if (settlement === "unknown_order" || settlement === "mismatch") return settlement;
  const order = (await lockOrder(tx, provider, payment.orderId))!;
  if (await isRefundKnown(tx, provider, refund.id)) {
    if (refund.dispute === "lost") await loseDispute(tx, order, provider, refund.id);
    return "seen";
  }

  const paid = await paymentRow(tx, provider, payment.id);
  const refunded = Math.min(paid.refunded_amount + refund.amount, paid.amount);
  if (refunded < paid.refunded_amount + refund.amount)
    logger.error({ orderId: order.id, refundId: refund.id }, "refunds exceed the payment");
  const share = paid.settles ? await shareToTake(tx, order, paid, refunded) : 0;
  const taken = share > 0 ? await whatToTake(tx, order, share) : nothing;

  const id = newId();
  await tx.query(
    `INSERT INTO payment_refunds (id, payment_id, provider, provider_refund_id, amount, credit, debt, shares, dispute)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      ...[id, paid.id, provider, refund.id, refund.amount, share, taken.debt],
      ...[sumOf(taken.shares, "amount") * unitOf(order.asset), refund.dispute],
    ],
  );
  await publishNewDispute(tx, order, provider, refund);
  await storeTaken(tx, id, taken);
  await tx.query("UPDATE payments SET refunded_amount = $2 WHERE id = $1", [paid.id, refunded]);

  if (!paid.settles) return "surplus_refunded";
  issueReceipt(tx, order.id);
  const whole = refunded === paid.amount;
  if (whole) await endOrder(tx, order);
  if (share > 0) await takeBack(tx, order, id, taken);
  await publishTaken(tx, order, id, taken);
  return whole ? "refunded" : "partly_refunded";
}

/**
 * Returns whether a refund was booked, or reversed before it was reported. The lock on the order keeps the result true
 * until the end of the transaction.
 */
async function isRefundKnown(tx: Tx, provider: string, providerRefundId: string): Promise<boolean> {
  const known = await tx.query(
    `SELECT 1 FROM payment_refunds WHERE provider = $1 AND provider_refund_id = $2
     UNION ALL SELECT 1 FROM reversed_refunds WHERE provider = $1 AND provider_refund_id = $2`,
    [provider, providerRefundId],
  );
  return known.length > 0;
}

async function paymentRow(tx: Tx, provider: string, providerPaymentId: string): Promise<PaymentRow> {
  const [row] = await tx.query<PaymentRow>(
    "SELECT id, amount, settles, refunded_amount FROM payments WHERE provider = $1 AND provider_payment_id = $2",
    [provider, providerPaymentId],
  );
  return row!;
}

/**
 * Returns the share of all money refunded so far, less what was taken for earlier refunds and not given back. What was
 * free is taken back whole.
 */
async function shareToTake(tx: Tx, order: LockedOrder, paid: PaymentRow, refunded: number): Promise<number> {
  const [row] = await tx.query<{ share: number }>(
    `SELECT greatest(0, coalesce(floor($2::numeric * $3 / nullif($4, 0)), $2)
       - coalesce(sum(r.credit - coalesce(v.credit, 0)), 0))::bigint AS share
     FROM payment_refunds r LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id WHERE payment_id = $1`,
    [paid.id, order.credit, refunded, paid.amount],
  );
  return row!.share;
}

async function endOrder(tx: Tx, { id, user_id, kind }: LockedOrder): Promise<void> {
  await tx.query("UPDATE payment_orders SET status = 'refunded', refunded_at = now() WHERE id = $1", [id]);
  await tx.query("UPDATE store_purchases SET state = 'refunded' WHERE order_id = $1", [id]);
  await tx.publish("order.refunded", { order_id: id, user_id, kind });
}

/** Tells the recipients of a seller from whose wallets the refund takes. */
async function publishTaken(tx: Tx, order: LockedOrder, refundId: string, { transfers }: Taken): Promise<void> {
  const told = transfers.filter(({ held }) => held > 0);
  await tx.publishAll(
    "seller.refunded",
    told.map(({ id, recipientId, held }) => ({
      refund_id: refundId,
      transfer_id: id,
      seller_id: order.user_id,
      recipient_id: recipientId,
      coins: held,
    })),
  );
}

/** Moves what the refund takes. */
async function takeBack(tx: Tx, { user_id, asset, title }: LockedOrder, refundId: string, taken: Taken): Promise<void> {
  const { held, debt, shares } = taken;
  const type = shareType(asset);
  const entries: TransferEntry[] = [
    { account: { userId: user_id }, amount: -held, type: "refund" },
    ...shares.map((share) => ({
      account: { userId: share.userId },
      asset: share.asset,
      amount: share.debt - share.amount,
      type: share.asset === coins ? type : "gift_refund",
    })),
    ...houseEntries(asset, {
      credit: held + debt + sumOf(shares, "amount") * unitOf(asset),
      debt,
      coins: { amount: sumOf(shares, "amount", coins), debt: sumOf(shares, "debt", coins) },
      earnings: { amount: sumOf(shares, "amount", earnings), debt: sumOf(shares, "debt", earnings) },
    }),
  ];
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: "payment_refund", id: refundId },
    description: `Refund of ${title}`,
    entries: entries.filter(({ amount }) => amount !== 0),
  });
}
