import { service } from "#shared/contracts/principal.ts";
import { storeNames } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { coins, issuerOf } from "#shared/domain/money/ledger/assets.ts";
import { openBalance, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { releaseOffers, retakeOffer } from "#shared/domain/money/offers/apply-offer.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { titleWith } from "./create-order.ts";
import { payDebt } from "./pay-debt.ts";
import type { PaymentOrderRow } from "./payments.queries.ts";
import type { ProviderPayment, Settlement } from "./providers/provider.ts";
import { flagExcess } from "./purchase-bounds.ts";
import { issueReceipt } from "./receipts.ts";

const isStore = (provider: string): boolean => storeNames.some((name) => name === provider);

/** An order, locked until the end of the transaction. */
export type LockedOrder = Pick<
  PaymentOrderRow,
  "id" | "user_id" | "kind" | "status" | "amount" | "currency" | "asset" | "credit" | "title"
> & {
  readonly offer_id: string | null;
  /** Whether it counts toward the limits of its offer. */
  readonly offer_held: boolean;
  readonly list_amount: number | null;
  readonly offer_bonus: number | null;
};

/** Step: locks an order by the provider's id. */
export async function lockOrder(
  tx: Tx,
  provider: string,
  providerOrderId: string | null,
): Promise<LockedOrder | undefined> {
  const [order] = await tx.query<LockedOrder>(
    `SELECT id, user_id, kind, status, amount, currency, asset, credit, title, offer_id, offer_held,
       list_amount, offer_bonus FROM payment_orders
     WHERE provider = $1 AND provider_order_id = $2 FOR NO KEY UPDATE`,
    [provider, providerOrderId],
  );
  return order;
}

/**
 * Step: records a captured payment and delivers what it bought, once, however often and from wherever it is reported.
 * The order's status doesn't matter: money for a failed or expired order was captured all the same, so it pays the
 * order. Publishes `order.paid`.
 */
export async function settlePayment(tx: Tx, provider: string, payment: ProviderPayment): Promise<Settlement> {
  if (payment.settle) return payment.settle(tx);
  const order = await lockOrder(tx, provider, payment.orderId);
  if (!order) return "unknown_order";
  if (payment.amount !== order.amount || payment.currency !== order.currency) {
    logger.error({ orderId: order.id, paymentId: payment.id }, "payment differs from its order in amount or currency");
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
  const paid = await withRetakenOffer(tx, order);
  const bought = await countBought(tx, paid);
  await tx.publish("order.paid", { order_id: order.id, user_id: order.user_id, kind: order.kind });
  if (order.status !== "created" || isStore(provider)) await flagExcess(tx, order);
  issueReceipt(tx, order.id, true);
  if (paid.credit > 0) await creditBuyer(tx, paid, bought);
  return "paid";
}

/** Records how many of the coins count as bought: all but the bonus of an offer, if the settings say so. */
async function countBought(tx: Tx, { id, asset, credit, offer_bonus }: LockedOrder): Promise<number> {
  if (asset !== coins) return 0;
  const bought = credit - (setting("offer_bonus_granted") ? (offer_bonus ?? 0) : 0);
  await tx.query("UPDATE payment_orders SET bought = $2 WHERE id = $1", [id, bought]);
  return bought;
}

/**
 * An order that had expired or failed has given its offer back. If others have it by now, the money buys what it
 * buys without: as many coins of the package as it pays for.
 */
async function withRetakenOffer(tx: Tx, order: LockedOrder): Promise<LockedOrder> {
  const { id, user_id, offer_id, offer_held, offer_bonus, list_amount, amount, title } = order;
  if (offer_id === null || offer_held) return order;
  if (await retakeOffer(tx, { id, user_id, offer_id })) {
    await tx.query("UPDATE payment_orders SET offer_held = true WHERE id = $1", [id]);
    return order;
  }
  const listed = BigInt(order.credit - offer_bonus!);
  const credit = Math.max(1, Number((listed * BigInt(amount)) / BigInt(list_amount!)));
  const changed = { credit, title: titleWith(title, credit) };
  await tx.query(
    "UPDATE payment_orders SET credit = $2, title = $3, offer_id = NULL, list_amount = NULL, offer_bonus = NULL WHERE id = $1",
    [id, changed.credit, changed.title],
  );
  logger.warn({ orderId: id, offerId: offer_id }, "an order was paid after its offer was given back and used up");
  return { ...order, ...changed, offer_bonus: null };
}

/** The outcome for a recorded payment: of this order, unless the provider contradicts itself. */
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
  logger.error({ orderId: order.id, paymentId: providerPaymentId }, "payment is recorded for another order");
  return "mismatch";
}

/** Called as late as possible: the wallet is locked from here to the commit. */
async function creditBuyer(tx: Tx, order: LockedOrder, bought: number): Promise<void> {
  const { id, user_id, asset, credit, title } = order;
  if (asset !== coins) await openBalance(tx, user_id, asset);
  const type = asset === coins ? "coin_purchase" : "deposit";
  await transfer(tx, {
    asset,
    by: service,
    reference: { type: "payment_order", id },
    description: title,
    entries: [
      { account: { userId: user_id }, amount: credit, bought, type },
      { account: { house: issuerOf(asset) }, amount: -credit, type },
    ],
  });
  await payDebt(tx, order);
}

/**
 * Step: marks an order as failed after a failed attempt to pay; it can still be paid. Returns the order's id if it was
 * waiting for its payment.
 */
export async function failOrder(tx: Tx, provider: string, providerOrderId: string): Promise<string | undefined> {
  const [failed] = await tx.query<{ id: string }>(
    `UPDATE payment_orders SET status = 'failed'
     WHERE provider = $1 AND provider_order_id = $2 AND status = 'created' RETURNING id`,
    [provider, providerOrderId],
  );
  if (failed) await releaseOffers(tx, [failed.id]);
  return failed?.id;
}
