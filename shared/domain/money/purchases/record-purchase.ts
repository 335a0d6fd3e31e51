import { createHash } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { insertOrder, withOffer } from "#shared/domain/money/payments/create-order.ts";
import { findOrderRow } from "#shared/domain/money/payments/payments.queries.ts";
import { lockOrder, settlePayment } from "#shared/domain/money/payments/settle-payment.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { purchaseOfAnother } from "./purchases.errors.ts";
import {
  draftOfPurchase,
  type ItemSold,
  itemSold,
  type PurchaseProvider,
  type VerifiedPurchase,
} from "./verified-purchase.ts";

/** What became of a purchase, with its order if it has one. */
export interface RecordedPurchase {
  readonly outcome: /** It paid its order. */
    | "paid"
    /** It was recorded before. */
    | "seen"
    /** The provider names no user of ours, and no user has presented it yet. */
    | "unclaimed"
    /** The money isn't there yet: its order waits for it. */
    | "pending"
    /** It was refunded before anyone had claimed it: it buys nothing. */
    | "refunded"
    /** We sell no such product. Nothing is recorded. */
    | "unknown_product";
  readonly orderId: string | null;
}

/** A purchase, locked until the end of the transaction. */
export interface StorePurchaseRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly order_id: string | null;
  readonly state: "pending" | "paid" | "acknowledged" | "refunded" | "revoked" | "disputed";
  readonly acknowledged_at: string | null;
  readonly refunded_at: string | null;
  readonly reversed_at: string | null;
}

/** Step: locks a purchase by the provider's ID. */
export async function lockPurchase(
  tx: Tx,
  provider: PurchaseProvider,
  transactionId: string,
): Promise<StorePurchaseRow | undefined> {
  const [row] = await tx.query<StorePurchaseRow & Record<string, unknown>>(
    `SELECT id, user_id, order_id, state, acknowledged_at, refunded_at, reversed_at FROM store_purchases
     WHERE provider = $1 AND transaction_id = $2 FOR UPDATE`,
    [provider, transactionId],
  );
  return row;
}

/**
 * Step: makes an order of a purchase and settles it, once for each transaction of the provider, from wherever and
 * however often it is reported. `claimant` is the user who presents it; null if the provider reports it. A purchase
 * belongs to the user that it names, and one that names no user to the first who presents it.
 * @throws CONFLICT if it belongs to another user
 */
export async function recordPurchase(
  tx: Tx,
  purchase: VerifiedPurchase,
  claimant: string | null,
  subscriptionId: string | null = null,
): Promise<RecordedPurchase> {
  const { provider, transactionId } = purchase;
  const sold = await itemSold(tx, provider, purchase.item);
  if (!sold) {
    logger.error({ provider, transactionId, item: purchase.item }, "a store sold a product that we don't know");
    return { outcome: "unknown_product", orderId: null };
  }
  await insertPurchase(tx, purchase, sold.storeProductId, subscriptionId);
  const row = (await lockPurchase(tx, provider, transactionId))!;
  const owner = await ownerOf(row.user_id, purchase.userId, claimant);
  if (row.state !== "pending") return { outcome: row.order_id ? "seen" : "refunded", orderId: row.order_id };
  if (!owner) return { outcome: "unclaimed", orderId: null };

  const orderId = row.order_id ?? (await orderOf(tx, purchase, sold, owner));
  // Its subscription may have been unknown when it was first reported.
  await tx.query(
    `UPDATE store_purchases SET user_id = $2, order_id = $3, subscription_id = coalesce(subscription_id, $4), state = $5
     WHERE id = $1`,
    [row.id, owner, orderId, subscriptionId, purchase.pending ? "pending" : "paid"],
  );
  if (purchase.pending) return { outcome: "pending", orderId };
  const { amount, currency, provider_order_id } = (await findOrderRow(orderId))!;
  await settlePayment(tx, provider, {
    id: transactionId,
    orderId: provider_order_id,
    amount,
    currency,
    captured: true,
  });
  return { outcome: "paid", orderId };
}

/** How long the payment of a pending purchase may take. */
const pendingDays = 7;

/**
 * Step: makes the order of a purchase, at the price that is known by now, unless it was ordered here first. Returns its
 * ID.
 */
async function orderOf(tx: Tx, purchase: VerifiedPurchase, sold: ItemSold, owner: string): Promise<string> {
  const ordered = purchase.orderedAs && (await lockOrder(tx, purchase.provider, purchase.orderedAs));
  if (ordered) return ordered.id;
  // The price is the store's, so that offers only add coins.
  const draft = await withOffer(tx, owner, await draftOfPurchase(tx, purchase, sold), null);
  const id = await insertOrder(tx, owner, purchase.provider, draft, purchase.transactionId);
  if (purchase.pending)
    await tx.query("UPDATE payment_orders SET expires_at = now() + $2 * interval '1 day' WHERE id = $1", [
      id,
      pendingDays,
    ]);
  return id;
}

async function insertPurchase(
  tx: Tx,
  purchase: VerifiedPurchase,
  productId: string | null,
  subscriptionId: string | null,
): Promise<void> {
  await tx.query(
    `INSERT INTO store_purchases (id, provider, environment, transaction_id, original_transaction_id, product_id,
       subscription_id, state, receipt_sha256, purchased_at, period_starts_at, period_ends_at, acknowledge_due_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'pending', $8, $9, $10, $11, $12)
     ON CONFLICT (provider, transaction_id) DO NOTHING`,
    [
      newId(),
      purchase.provider,
      purchase.environment,
      purchase.transactionId,
      purchase.originalTransactionId,
      productId,
      subscriptionId,
      createHash("sha256").update(purchase.receipt).digest(),
      purchase.purchasedAt,
      purchase.period?.startsAt ?? null,
      purchase.period?.endsAt ?? null,
      purchase.acknowledgeBy ?? null,
    ],
  );
}

/**
 * Returns who owns a purchase or a subscription: who owns it already, else the user that it names, else who
 * presents it.
 * @throws CONFLICT if that isn't who presents it
 */
export async function ownerOf(
  known: string | null,
  named: string | null,
  claimant: string | null,
): Promise<string | null> {
  const owner = known ?? named ?? claimant;
  if (claimant !== null && (owner !== claimant || (named !== null && named !== claimant))) throw purchaseOfAnother();
  if (owner === null || owner === known || owner === claimant) return owner;
  // The provider names any UUID that an app gave it.
  return (await User.read({ id: owner }, ["id"])) ? owner : null;
}

/** Step: marks a purchase as acknowledged at its provider. */
export async function markAcknowledged(tx: Tx, provider: PurchaseProvider, transactionId: string): Promise<void> {
  await tx.query(
    `UPDATE store_purchases
     SET acknowledged_at = now(), state = CASE state WHEN 'paid' THEN 'acknowledged' ELSE state END
     WHERE provider = $1 AND transaction_id = $2 AND acknowledged_at IS NULL`,
    [provider, transactionId],
  );
}
