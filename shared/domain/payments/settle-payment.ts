import { service } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { transfer } from "#shared/domain/ledger/transfer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { ProviderPayment } from "./providers/provider.ts";

/** What became of money that a provider has taken. */
export type Settlement =
  /** It paid the order. */
  | "paid"
  /** It was written down before. */
  | "seen"
  /** The order was paid already by another payment: this one bought nothing, and somebody must give it back. */
  | "surplus"
  /** No order of ours has this id at the provider. */
  | "unknown_order"
  /** Another amount or currency than the order's, or known as another order's: nothing is given for it. */
  | "mismatch";

/** An order, locked until the end of the transaction. */
export interface LockedOrder {
  id: string;
  user_id: string;
  kind: Order["kind"];
  status: Order["status"];
  amount: number;
  currency: string;
  coins: number;
  title: string;
}

/** Step: locks the order that a provider knows by this id. */
export async function lockOrder(
  tx: Tx,
  provider: string,
  providerOrderId: string | null,
): Promise<LockedOrder | undefined> {
  const [order] = await tx.query<LockedOrder>(
    `SELECT id, user_id, kind, status, amount, currency, coins, title FROM payment_orders
     WHERE provider = $1 AND provider_order_id = $2 FOR NO KEY UPDATE`,
    [provider, providerOrderId],
  );
  return order;
}

/**
 * Step: writes down money that a provider has taken, and gives what it bought: once, however often and from wherever it is
 * told of. The order's state does not stand in the way: money that comes for an order that has failed or expired was taken
 * all the same, so it pays the order. Publishes `order.paid`.
 */
export async function settlePayment(tx: Tx, provider: string, payment: ProviderPayment): Promise<Settlement> {
  const order = await lockOrder(tx, provider, payment.orderId);
  if (!order) return "unknown_order";
  if (payment.amount !== order.amount || payment.currency !== order.currency) {
    logger.error({ orderId: order.id, paymentId: payment.id }, "a payment is not of its order's amount and currency");
    return "mismatch";
  }
  const settles = order.status !== "paid" && order.status !== "refunded";
  const written = await tx.query(
    `INSERT INTO payments (id, order_id, provider, provider_payment_id, amount, settles)
     VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (provider, provider_payment_id) DO NOTHING RETURNING 1`,
    [newId(), order.id, provider, payment.id, payment.amount, settles],
  );
  if (written.length === 0) return seenFor(tx, order, provider, payment.id);
  if (!settles) {
    logger.error(
      { orderId: order.id, paymentId: payment.id },
      "an order was paid twice; the second payment is surplus",
    );
    return "surplus";
  }
  await tx.query("UPDATE payment_orders SET status = 'paid', paid_at = now() WHERE id = $1", [order.id]);
  await tx.publish("order.paid", { order_id: order.id, user_id: order.user_id, kind: order.kind });
  if (order.kind === "coins") await creditCoins(tx, order);
  return "paid";
}

/** A payment that is known: as this order's, unless the provider contradicts itself. */
async function seenFor(
  tx: Tx,
  order: LockedOrder,
  provider: string,
  providerPaymentId: string,
): Promise<"seen" | "mismatch"> {
  const own = await tx.query(
    "SELECT 1 FROM payments WHERE provider = $1 AND provider_payment_id = $2 AND order_id = $3",
    [provider, providerPaymentId, order.id],
  );
  if (own.length > 0) return "seen";
  logger.error({ orderId: order.id, paymentId: providerPaymentId }, "a payment is known as another order's");
  return "mismatch";
}

/** As late as can be: from here to the commit the wallet is locked. */
async function creditCoins(tx: Tx, { id, user_id, coins, title }: LockedOrder): Promise<void> {
  await transfer(tx, {
    by: service,
    reference: { type: "payment_order", id },
    description: title,
    entries: [
      { account: { userId: user_id }, amount: coins, type: "coin_purchase" },
      { account: { house: "issue" }, amount: -coins, type: "coin_purchase" },
    ],
  });
}

/**
 * Step: the provider says that an attempt to pay has failed. The person may still pay. Answers the order's id if it was
 * waiting for its money.
 */
export async function failOrder(tx: Tx, provider: string, providerOrderId: string): Promise<string | undefined> {
  const [failed] = await tx.query<{ id: string }>(
    `UPDATE payment_orders SET status = 'failed'
     WHERE provider = $1 AND provider_order_id = $2 AND status = 'created' RETURNING id`,
    [provider, providerOrderId],
  );
  return failed?.id;
}
