import { type Principal, principalId } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { amountMax } from "#shared/domain/money/ledger/assets.ts";
import { insufficientBalance } from "#shared/domain/money/ledger/ledger.errors.ts";
import { openBalance, transfer } from "#shared/domain/money/ledger/transfer.ts";
import type { Decimal } from "#shared/kernel/decimal.ts";
import { newId } from "#shared/kernel/ids.ts";

interface PaidOrder {
  readonly id: number;
  readonly currency: string;
  readonly total: Decimal;
}

/**
 * Step: pays an order from the prepaid balance of its customer. The balance is locked from here to the commit.
 * @throws INSUFFICIENT_BALANCE
 */
export async function payOrder(
  tx: Tx,
  by: Principal,
  userId: string,
  { id, currency, total }: PaidOrder,
): Promise<void> {
  if (total === 0n) return;
  if (total > amountMax) throw insufficientBalance(currency);
  const amount = Number(total);
  await openBalance(tx, userId, currency);
  const payment = await insertPayment(tx, by, { orderId: id, kind: "payment", amount });
  await transfer(tx, {
    asset: currency,
    by,
    reference: { type: "catalogue_payment", id: payment },
    description: `Order ${id}`,
    entries: [
      { account: { userId }, amount: -amount, type: "catalogue_order" },
      { account: { house: "catalogue_revenue" }, amount, type: "catalogue_order" },
    ],
  });
}

/**
 * Step: gives back what was paid for an order, once, however often it is called. Call it in the transaction that
 * cancels the order, with the order locked. Returns whether money moved: not for an order that wasn't prepaid or is
 * refunded.
 */
export async function refundOrder(tx: Tx, by: Principal, orderId: number): Promise<boolean> {
  const [paid] = await tx.query<{ amount: number; currency: string; user_id: string; refunded: boolean }>(
    `SELECT p.amount, o.currency, k.user_id,
       EXISTS (SELECT 1 FROM catalogue_payments r WHERE r.order_id = o.id AND r.kind = 'refund') AS refunded
     FROM catalogue_payments p JOIN catalogue_orders o ON o.id = p.order_id
       JOIN catalogue_customers k ON k.id = o.customer_id
     WHERE p.order_id = $1 AND p.kind = 'payment'`,
    [orderId],
  );
  if (!paid || paid.refunded) return false;
  const { amount, currency, user_id: userId } = paid;
  const refund = await insertPayment(tx, by, { orderId, kind: "refund", amount });
  await transfer(tx, {
    asset: currency,
    by,
    reference: { type: "catalogue_refund", id: refund },
    description: `Refund of order ${orderId}`,
    entries: [
      { account: { userId }, amount, type: "catalogue_refund" },
      { account: { house: "catalogue_revenue" }, amount: -amount, type: "catalogue_refund" },
    ],
  });
  return true;
}

/** A second one of a kind violates `catalogue_payments_once`. */
async function insertPayment(
  tx: Tx,
  by: Principal,
  { orderId, kind, amount }: { orderId: number; kind: "payment" | "refund"; amount: number },
): Promise<string> {
  const id = newId();
  await tx.query(
    `INSERT INTO catalogue_payments (id, order_id, kind, amount, principal_kind, principal_id)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [id, orderId, kind, amount, by.kind, by.kind === "service" ? null : principalId(by)],
  );
  return id;
}
