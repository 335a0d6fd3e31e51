import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { toOpenOrder } from "./create-order.ts";
import { providerNamed } from "./payments.config.ts";
import { notCaptured, paymentDoesNotFit, signatureInvalid } from "./payments.errors.ts";
import { accessOrder, accessOrderAtProvider } from "./payments.policy.ts";
import { isPaymentKnown, type PaymentOrderRow } from "./payments.queries.ts";
import { isFor, type ProviderPayment } from "./providers/provider.ts";
import { settlePayment } from "./settle-payment.ts";

/** The result that the provider gave the client after the payment. */
export interface PaymentProof {
  readonly orderId: string;
  readonly paymentId: string;
  readonly signature: string;
}

/**
 * Settles an order by what the provider gave the client. The signature proves that the payment belongs to the order;
 * the provider is asked what was paid. Returns the order as it is then, by whichever way it was settled. Safe to
 * repeat, and beside the webhook.
 * @throws NOT_FOUND (no order of the caller), PAYMENT_SIGNATURE_INVALID, ORDER_NOT_PAYABLE (the money was not
 *   captured), CONFLICT (another amount, currency or order), ENGINE_UNAVAILABLE (the provider does not respond: the
 *   webhook, or asking again when the order expires, will settle it), IDEMPOTENCY_CONFLICT
 */
export async function verifyPayment(
  caller: UserPrincipal,
  { orderId, paymentId, signature }: PaymentProof,
  idempotency?: IdempotentCall,
): Promise<Order> {
  const order = await accessOrderAtProvider(caller, orderId);
  if (!providerNamed(order.provider).hasSigned(orderId, paymentId, signature)) throw signatureInvalid();
  const payment = (await isPaymentKnown(order.provider, paymentId)) ? undefined : await capturedFor(order, paymentId);
  return inTransaction(async (tx) => {
    if (payment) await settlePayment(tx, order.provider, payment);
    return accessOrder(caller, order.id);
  }, idempotency);
}

/** Returns the payment, if it is captured and for the order. */
async function capturedFor(order: PaymentOrderRow, paymentId: string): Promise<ProviderPayment> {
  const open = toOpenOrder(order);
  const payment = await providerNamed(order.provider).capturePayment(paymentId, open);
  if (!payment || !isFor(open, payment)) throw paymentDoesNotFit();
  if (!payment.captured) throw notCaptured();
  return payment;
}
