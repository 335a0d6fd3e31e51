import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { deliveredOrder } from "#shared/domain/money/purchases/delivered-order.ts";
import { appleStore } from "../stores.config.ts";
import { recordTransaction } from "./apple-transaction.ts";

/**
 * Records a transaction that the caller's app got from Apple. Returns its order, as it is then.
 * @throws NOT_FOUND (not configured, or the product isn't for sale), PAYMENT_SIGNATURE_INVALID, ORDER_NOT_PAYABLE
 *   (refunded), CONFLICT (another account's), ENGINE_UNAVAILABLE
 */
export async function verifyApplePurchase(
  caller: UserPrincipal,
  signed: string,
  idempotency?: IdempotentCall,
): Promise<Order> {
  const store = appleStore();
  const payload = await store.transaction(signed);
  const { environment } = store;
  return inTransaction(async (tx) => {
    const recorded = await recordTransaction(tx, { signed, payload }, { environment, claimant: caller.userId });
    return accessOrder(caller, deliveredOrder(recorded));
  }, idempotency);
}
