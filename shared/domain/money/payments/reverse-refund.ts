import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { issuerOf } from "#shared/domain/money/ledger/assets.ts";
import { debtOf, notReversed } from "#shared/domain/money/ledger/debts.ts";
import { type TransferEntry, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { issueReceipt } from "./receipts.ts";
import { type LockedOrder, lockOrder } from "./settle-payment.ts";

export type ReversalOutcome =
  | "reversed"
  /** The refund was reversed before. */
  | "seen"
  /** We know no such refund: there is nothing to give back. */
  | "unknown_refund";

/**
 * Step: gives back what a refund took, once, because its provider took the refund back or a dispute was won. What the
 * payment's other refunds call for stays taken, also if this one took it before them. What is left of the refund's debt
 * is cancelled, and the rest goes to the wallet: a debt that was paid meanwhile was paid in coins. Publishes
 * `order.restored` if the order was refunded in full.
 */
export async function reverseRefund(tx: Tx, provider: string, providerRefundId: string): Promise<ReversalOutcome> {
  const [known] = await tx.query<{ provider_order_id: string }>(
    `SELECT o.provider_order_id FROM payment_refunds r JOIN payments p ON p.id = r.payment_id
       JOIN payment_orders o ON o.id = p.order_id WHERE r.provider = $1 AND r.provider_refund_id = $2`,
    [provider, providerRefundId],
  );
  if (!known) return "unknown_refund";
  const order = (await lockOrder(tx, provider, known.provider_order_id))!;
  const [refund] = await tx.query<RefundRow>(
    `SELECT r.id, r.payment_id, r.debt FROM payment_refunds r
     WHERE r.provider = $1 AND r.provider_refund_id = $2 AND ${notReversed}`,
    [provider, providerRefundId],
  );
  if (!refund) return "seen";

  const credit = await creditToGiveBack(tx, order, refund);
  const debt = credit > 0 ? await debtToCancel(tx, order, refund, credit) : 0;
  const id = newId();
  await tx.query("INSERT INTO payment_refund_reversals (id, refund_id, credit, debt) VALUES ($1, $2, $3, $4)", [
    id,
    refund.id,
    credit,
    debt,
  ]);
  await tx.query(
    `UPDATE payments p SET refunded_amount = least(p.amount,
       (SELECT coalesce(sum(r.amount), 0) FROM payment_refunds r WHERE r.payment_id = p.id AND ${notReversed}))
     WHERE p.id = $1`,
    [refund.payment_id],
  );
  issueReceipt(tx, order.id);
  await restoreOrder(tx, order, refund);
  if (credit > 0) await giveBack(tx, order, id, { credit, debt, bought: await boughtTaken(tx, order, refund) });
  return "reversed";
}

interface RefundRow {
  readonly id: string;
  readonly payment_id: string;
  readonly debt: number;
}

/** Returns what was taken for all refunds of the payment, less the share of those that stay. */
async function creditToGiveBack(tx: Tx, order: LockedOrder, { id, payment_id }: RefundRow): Promise<number> {
  const [row] = await tx.query<{ credit: number }>(
    `SELECT greatest(0, sum(r.credit - coalesce(v.credit, 0)) - CASE WHEN p.amount > 0
         THEN floor($3::numeric * least(coalesce(sum(r.amount) FILTER (WHERE ${stays}), 0), p.amount) / p.amount)
         WHEN bool_or(${stays}) THEN $3 ELSE 0 END)::bigint AS credit
     FROM payments p JOIN payment_refunds r ON r.payment_id = p.id
       LEFT JOIN payment_refund_reversals v ON v.refund_id = r.id
     WHERE p.id = $1 GROUP BY p.id`,
    [payment_id, id, order.credit],
  );
  return row!.credit;
}
/** The condition that a refund isn't this one, and wasn't reversed. */
const stays = "v.refund_id IS NULL AND r.id <> $2";

/** Locks the wallet, and with it the debt. */
async function debtToCancel(
  tx: Tx,
  { user_id, asset }: LockedOrder,
  { debt }: RefundRow,
  credit: number,
): Promise<number> {
  await tx.query("SELECT 1 FROM wallets WHERE user_id = $1 AND asset = $2 FOR NO KEY UPDATE", [user_id, asset]);
  const [row] = await tx.query<{ owed: number }>(`SELECT ${debtOf("$1", "$2")} AS owed`, [user_id, asset]);
  return Math.min(debt, row!.owed, credit);
}

async function restoreOrder(tx: Tx, { id, user_id, kind }: LockedOrder, refund: RefundRow): Promise<void> {
  const restored = await tx.query(
    `UPDATE payment_orders o SET status = 'paid', refunded_at = NULL FROM payments p
     WHERE o.id = $1 AND o.status = 'refunded' AND p.id = $2 AND p.settles
       AND (p.refunded_amount < p.amount OR p.amount = 0) RETURNING 1`,
    [id, refund.payment_id],
  );
  if (restored.length > 0) await tx.publish("order.restored", { order_id: id, user_id, kind });
}

/** Returns how many bought coins the refund took from the wallet: as many at most become bought again. */
async function boughtTaken(tx: Tx, { user_id, asset }: LockedOrder, { id }: RefundRow): Promise<number> {
  const [row] = await tx.query<{ bought: number }>(
    `SELECT -e.bought AS bought FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id
     WHERE m.reference_type = 'payment_refund' AND m.reference_id = $1 AND e.user_id = $2 AND e.asset = $3`,
    [id, user_id, asset],
  );
  return row?.bought ?? 0;
}

async function giveBack(
  tx: Tx,
  { user_id, asset, title }: LockedOrder,
  reversalId: string,
  { credit, debt, bought }: { credit: number; debt: number; bought: number },
): Promise<void> {
  const entries: TransferEntry[] = [
    { account: { userId: user_id }, amount: credit - debt, bought: Math.min(bought, credit - debt), type: "refund" },
    { account: { house: "debt" }, amount: debt, type: "refund" },
    { account: { house: issuerOf(asset) }, amount: -credit, type: "refund" },
  ];
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: "refund_reversal", id: reversalId },
    description: `Reversed refund of ${title}`,
    entries: entries.filter(({ amount }) => amount !== 0),
  });
}
