import { productUnknown, purchasePending, purchaseRefunded } from "./purchases.errors.ts";

/**
 * Returns the ID of the order that a presented purchase has paid, from wherever it was reported first.
 * @throws NOT_FOUND (we sell no such product), ORDER_NOT_PAYABLE (the money isn't there yet, or no longer)
 */
export function deliveredOrder({
  outcome,
  orderId,
}: {
  readonly outcome: string;
  readonly orderId: string | null;
}): string {
  if (orderId) return orderId;
  if (outcome === "pending") throw purchasePending();
  throw outcome === "unknown_product" ? productUnknown() : purchaseRefunded();
}
