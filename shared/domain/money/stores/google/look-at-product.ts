import { createHash } from "node:crypto";
import { inTransaction } from "#shared/db/transaction.ts";
import { failOrder } from "#shared/domain/money/payments/settle-payment.ts";
import { recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { acknowledgeJob, acknowledgeWithinMs } from "./acknowledge.ts";
import { googlePlay } from "./google.config.ts";
import { found, type Looked, priceOf, takeBackRefunded, userNamed } from "./look-at-order.ts";

/**
 * Looks at the purchase of a one-time product at Google, and has our books say the same: it is credited once, and
 * taken back if its money was returned. Safe to repeat, in any order. `claimant` is the user who presents it, with the
 * product that the app says; null if Google asks us to look.
 * @throws CONFLICT if it belongs to another user, ENGINE_UNAVAILABLE, NOT_FOUND (Google Play isn't configured)
 */
export async function lookAtProduct(
  token: string,
  claimant: string | null = null,
  productId?: string,
): Promise<Looked> {
  const { client, environment } = googlePlay();
  const at = new Date(clock.now()).toISOString();
  const shown = await client.product(token);
  if (!shown) return found("unknown_purchase");
  if ((shown.testPurchaseContext ? "sandbox" : "production") !== environment) return found("wrong_environment");
  const [item, ...others] = shown.productLineItem;
  // Google returns the money of what is never acknowledged.
  if (others.length > 0) logger.error("an app sold several products in one purchase, which can't be credited");
  if (!item || others.length > 0) return found("other_product");
  if (productId !== undefined && item.productId !== productId) return found("other_product");

  const state = shown.purchaseStateContext.purchaseState;
  const { orderId } = shown;
  // Without an order, it was paid with a code for a promotion, or not yet.
  if (orderId === undefined && state !== "PURCHASED") return found("pending");
  const order = orderId === undefined ? undefined : await client.order(orderId);
  const purchase: VerifiedPurchase = {
    provider: "google",
    environment,
    transactionId: orderId ?? `token_${createHash("sha256").update(token).digest("hex").slice(0, 48)}`,
    originalTransactionId: token,
    userId: userNamed(shown.obfuscatedExternalAccountId),
    item: { productId: item.productId },
    quantity: item.productOfferDetails.quantity,
    price: orderId === undefined ? { amount: 0, currency: "USD" } : priceOf(order),
    country: shown.regionCode,
    pending: state !== "PURCHASED",
    purchasedAt: shown.purchaseCompletionTime ?? at,
    receipt: JSON.stringify(shown),
    acknowledgeBy: new Date(clock.now() + acknowledgeWithinMs).toISOString(),
  };
  return inTransaction(async (tx) => {
    const recorded = await recordPurchase(tx, purchase, claimant);
    const { transactionId } = purchase;
    if (recorded.outcome === "paid") await tx.enqueue(acknowledgeJob, { transaction_id: transactionId });
    if (state === "CANCELLED") await failOrder(tx, "google", transactionId);
    const taken = await takeBackRefunded(tx, transactionId, order, { at, canceled: state === "CANCELLED" });
    return { ...recorded, transactionId, outcome: taken ?? recorded.outcome };
  });
}
