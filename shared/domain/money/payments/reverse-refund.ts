import { service } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { coins, earnings } from "#shared/domain/money/ledger/assets.ts";
import { debtOf, lockedDebt, notReversed } from "#shared/domain/money/ledger/debts.ts";
import { lockWallets, type TransferEntry, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { winDispute } from "./disputes.ts";
import { issueReceipt } from "./receipts.ts";
import { houseEntries, shareType, unitOf } from "./refund-entries.ts";
import { type LockedOrder, lockOrder } from "./settle-payment.ts";

export type ReversalOutcome =
  | "reversed"
  /** The refund was reversed before. */
  | "seen"
  /** We know no such refund: there is nothing to give back. */
  | "unknown_refund";

/**
 * Step: gives back what a refund took, once, because its provider took the refund back or a dispute was won. What the
 * payment's other refunds call for stays taken, also if this one took it before them. Those who got shares of gifts get
 * them again first. It cancels what the buyer owes, for other refunds, too, and the rest goes to the wallet: a debt
 * that was paid meanwhile was paid in coins. Publishes `order.restored` if the order was refunded in full, and
 * `dispute.won`.
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
    `SELECT r.id, r.payment_id, r.shares, r.dispute FROM payment_refunds r
     WHERE r.provider = $1 AND r.provider_refund_id = $2 AND ${notReversed}`,
    [provider, providerRefundId],
  );
  if (!refund) return "seen";

  const credit = await creditToGiveBack(tx, order, refund);
  await lockWallets(tx, [order.user_id, ...(await takersOf(tx, refund))], [...new Set([order.asset, coins, earnings])]);
  const id = newId();
  const shares = await sharesToGiveBack(tx, refund, credit);
  const returned = sumOf(shares, "returned") * unitOf(order.asset);
  const debt = Math.min(await lockedDebt(tx, order.user_id, order.asset), credit - returned);
  await tx.query(
    "INSERT INTO payment_refund_reversals (id, refund_id, credit, debt, shares) VALUES ($1, $2, $3, $4, $5)",
    [id, refund.id, credit, debt, returned],
  );
  await recordReturned(tx, refund, { id, returned }, shares);
  await tx.query(
    `UPDATE payments p SET refunded_amount = least(p.amount,
       (SELECT coalesce(sum(r.amount), 0) FROM payment_refunds r WHERE r.payment_id = p.id AND ${notReversed}))
     WHERE p.id = $1`,
    [refund.payment_id],
  );
  issueReceipt(tx, order.id);
  await restoreOrder(tx, order, refund);
  if (refund.dispute) await winDispute(tx, order, provider, providerRefundId);
  if (credit > 0) await giveBack(tx, order, id, { credit, debt, shares, bought: await boughtTaken(tx, refund) });
  return "reversed";
}

interface RefundRow {
  readonly id: string;
  readonly payment_id: string;
  readonly shares: number;
  readonly dispute: string | null;
}

/** What someone gets back who got a share of gifts, and how much of it only cancels their debt. */
interface ReturnedShare {
  readonly user_id: string;
  readonly asset: typeof coins | typeof earnings;
  readonly returned: number;
  readonly cancelled: number;
}

async function takersOf(tx: Tx, { id }: RefundRow): Promise<string[]> {
  const rows = await tx.query<{ user_id: string }>("SELECT user_id FROM refund_shares WHERE refund_id = $1", [id]);
  return rows.map(({ user_id }) => user_id);
}

/** Returns all shares that the refund took, or, if there is less to give back, as large a part of each. */
const sharesToGiveBack = (tx: Tx, { id, shares }: RefundRow, credit: number): Promise<ReturnedShare[]> =>
  tx.query<ReturnedShare & Record<string, unknown>>(
    `SELECT s.user_id, s.asset, r.returned, greatest(0, least(s.debt, ${debtOf("s.user_id", "s.asset")}, r.returned)) AS cancelled
     FROM refund_shares s
       CROSS JOIN LATERAL (SELECT floor(s.amount::numeric * least($2::bigint, $3::bigint) / $3)::bigint AS returned) r
     WHERE s.refund_id = $1 AND r.returned > 0 ORDER BY s.user_id, s.asset`,
    [id, credit, shares],
  );

const sumOf = (shares: readonly ReturnedShare[], part: "returned" | "cancelled", of?: string): number =>
  shares.reduce((sum, share) => sum + (of === undefined || share.asset === of ? share[part] : 0), 0);

/** Records what is given back. As large a part of the gifts and of a seller's transfers is paid for again. */
async function recordReturned(
  tx: Tx,
  refund: RefundRow,
  reversal: { readonly id: string; readonly returned: number },
  shares: readonly ReturnedShare[],
): Promise<void> {
  if (shares.length === 0) return;
  for (const table of ["refund_gifts", "refund_transfers"])
    await tx.query(
      `UPDATE ${table} SET released = floor(coins::numeric * $2::bigint / $3::bigint) WHERE refund_id = $1`,
      [refund.id, reversal.returned, refund.shares],
    );
  await tx.query(
    `UPDATE refund_shares s SET reversal_id = $2, returned = g.returned, cancelled = g.cancelled
     FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[]) AS g (user_id, asset, returned, cancelled)
     WHERE s.refund_id = $1 AND s.user_id = g.user_id AND s.asset = g.asset`,
    [
      refund.id,
      reversal.id,
      shares.map(({ user_id }) => user_id),
      shares.map(({ asset }) => asset),
      shares.map((share) => share.returned),
      shares.map(({ cancelled }) => cancelled),
    ],
  );
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

async function restoreOrder(tx: Tx, { id, user_id, kind }: LockedOrder, refund: RefundRow): Promise<void> {
  const restored = await tx.query(
    `UPDATE payment_orders o SET status = 'paid', refunded_at = NULL FROM payments p
     WHERE o.id = $1 AND o.status = 'refunded' AND p.id = $2 AND p.settles
       AND (p.refunded_amount < p.amount OR p.amount = 0) RETURNING 1`,
    [id, refund.payment_id],
  );
  if (restored.length === 0) return;
  await tx.query(
    `UPDATE store_purchases SET state = CASE WHEN acknowledged_at IS NULL THEN 'paid' ELSE 'acknowledged' END
     WHERE order_id = $1`,
    [id],
  );
  await tx.publish("order.restored", { order_id: id, user_id, kind });
}

/** Returns how many bought coins the refund took from whom: as many at most become bought again. */
async function boughtTaken(tx: Tx, { id }: RefundRow): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ user_id: string; bought: number }>(
    `SELECT e.user_id, -e.bought AS bought FROM ledger_movements m JOIN ledger_entries e ON e.movement_id = m.id
     WHERE m.reference_type = 'payment_refund' AND m.reference_id = $1 AND e.user_id IS NOT NULL AND e.bought < 0`,
    [id],
  );
  return new Map(rows.map(({ user_id, bought }) => [user_id, bought]));
}

interface Given {
  readonly credit: number;
  readonly debt: number;
  readonly shares: readonly ReturnedShare[];
  readonly bought: ReadonlyMap<string, number>;
}

async function giveBack(tx: Tx, order: LockedOrder, reversalId: string, given: Given): Promise<void> {
  const { user_id, asset, title } = order;
  const { credit, debt, shares, bought } = given;
  const toUser = (userId: string, of: string, amount: number, type: TransferEntry["type"]): TransferEntry => ({
    account: { userId },
    asset: of,
    amount,
    bought: of === coins ? Math.min(bought.get(userId) ?? 0, amount) : 0,
    type,
  });
  const entries: TransferEntry[] = [
    toUser(user_id, asset, credit - debt - sumOf(shares, "returned") * unitOf(asset), "refund"),
    ...shares.map((share) => {
      const type = share.asset === coins ? shareType(asset) : "gift_refund";
      return toUser(share.user_id, share.asset, share.returned - share.cancelled, type);
    }),
    ...houseEntries(asset, {
      credit: -credit,
      debt: -debt,
      coins: { amount: -sumOf(shares, "returned", coins), debt: -sumOf(shares, "cancelled", coins) },
      earnings: { amount: -sumOf(shares, "returned", earnings), debt: -sumOf(shares, "cancelled", earnings) },
    }),
  ];
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: "refund_reversal", id: reversalId },
    description: `Reversed refund of ${title}`,
    entries: entries.filter(({ amount }) => amount !== 0),
  });
}
