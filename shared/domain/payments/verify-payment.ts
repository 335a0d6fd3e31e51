import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { toOpenOrder } from "./create-order.ts";
import { providerNamed } from "./payments.config.ts";
import { notTaken, paymentDoesNotFit, signatureInvalid } from "./payments.errors.ts";
import { accessOrder, accessOrderAtProvider } from "./payments.policy.ts";
import { isPaymentKnown, type OrderRow } from "./payments.queries.ts";
import { isFor, type ProviderPayment } from "./providers/provider.ts";
import { settlePayment } from "./settle-payment.ts";

/** What a client brings back from the provider. */
export interface PaymentProof {
  readonly orderId: string;
  readonly paymentId: string;
  readonly signature: string;
}

/**
 * Settles an order by what the provider gave the client. The signature says that the payment belongs to the order; what
 * was paid is asked of the provider. Answers the order as it is then, whoever has settled it. Safe to call again, and
 * beside the webhook.
 * @throws NOT_FOUND (no order of the caller's), PAYMENT_SIGNATURE_INVALID, ORDER_NOT_PAYABLE (the money was not taken),
 *   CONFLICT (another amount, currency or order), ENGINE_UNAVAILABLE (the provider does not answer: the webhook, or a
 *   look at it when the order's time is over, will settle it), IDEMPOTENCY_CONFLICT
 */
export async function verifyPayment(
  caller: UserPrincipal,
  { orderId, paymentId, signature }: PaymentProof,
  idempotency?: IdempotentCall,
): Promise<Order> {
  const order = await accessOrderAtProvider(caller, orderId);
  if (!providerNamed(order.provider).hasSigned(orderId, paymentId, signature)) throw signatureInvalid();
  const payment = (await isPaymentKnown(order.provider, paymentId)) ? undefined : await takenFor(order, paymentId);
  return inTransaction(async (tx) => {
    if (payment) await settlePayment(tx, order.provider, payment);
    return accessOrder(caller, order.id);
  }, idempotency);
}

/** The payment, if its money was taken and is the order's. */
async function takenFor(order: OrderRow, paymentId: string): Promise<ProviderPayment> {
  const open = toOpenOrder(order);
  const payment = await providerNamed(order.provider).takePayment(paymentId, open);
  if (!payment || !isFor(open, payment)) throw paymentDoesNotFit();
  if (!payment.captured) throw notTaken();
  return payment;
}
