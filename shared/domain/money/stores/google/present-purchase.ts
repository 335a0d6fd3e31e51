import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { deliveredOrder } from "#shared/domain/money/purchases/delivered-order.ts";
import { receiptInvalid } from "#shared/domain/money/purchases/purchases.errors.ts";
import type { Looked } from "./look-at-order.ts";
import { lookAtProduct } from "./look-at-product.ts";
import { lookAtSubscription } from "./look-at-subscription.ts";

/** Looks at what a token is of: a product or a subscription. */
async function lookAtPurchase(token: string, claimant: string, productId?: string): Promise<Looked> {
  const product = await lookAtProduct(token, claimant, productId);
  return product.outcome === "unknown_purchase" ? lookAtSubscription(token, claimant, productId) : product;
}

/**
 * Credits what the caller bought at Google Play, once, and returns its order. A token proves nothing: Google says what
 * was bought, by whom, and whether it was paid.
 * @throws PAYMENT_SIGNATURE_INVALID (no purchase of this product, app, and environment), CONFLICT (another user's),
 *   ORDER_NOT_PAYABLE (refunded, or pending without an order), NOT_FOUND (a product that isn't sold, or Google Play
 *   isn't configured), ENGINE_UNAVAILABLE
 */
export async function presentGooglePurchase(
  caller: UserPrincipal,
  { product_id, purchase_token }: { readonly product_id?: string; readonly purchase_token: string },
): Promise<Order> {
  const { outcome, orderId } = await lookAtPurchase(purchase_token, caller.userId, product_id);
  switch (outcome) {
    case "unknown_purchase":
    case "wrong_environment":
    case "other_product":
      throw receiptInvalid();
    default:
      return accessOrder(caller, deliveredOrder({ outcome, orderId }));
  }
}
