import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Order } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { toOpenOrder } from "./create-order.ts";
import { providerNamed } from "./payments.config.ts";
import { notCaptured, paymentDoesNotFit, signatureInvalid } from "./payments.errors.ts";
import { accessOrder, accessOrderAtProvider } from "./payments.policy.ts";
import { isPaid, isPaymentKnown, type PaymentOrderRow } from "./payments.queries.ts";
import { isFor, type OpenOrder, type ProviderPayment } from "./providers/provider.ts";
import { settlePayment } from "./settle-payment.ts";

/** What the provider gave the client after the payment; one that signs nothing gives only the order. */
export interface PaymentProof {
  readonly orderId: string;
  readonly paymentId?: string | undefined;
  readonly signature?: string | undefined;
}

/**
 * Settles an order by what the provider gave the client. The signature proves that the payment belongs to the order;
 * the provider is asked what was paid, also one that signs nothing. Returns the order as it is then, by whichever way
 * it was settled. Safe to repeat, and beside the webhook.
 * @throws NOT_FOUND (no order of the caller), PAYMENT_SIGNATURE_INVALID, ORDER_NOT_PAYABLE (the money was not
 *   captured), CONFLICT (another amount, currency or order), ENGINE_UNAVAILABLE (the provider does not respond: the
 *   webhook, or asking again when the order expires, will settle it), IDEMPOTENCY_CONFLICT
 */
export async function verifyPayment(
  caller: UserPrincipal,
  proof: PaymentProof,
  idempotency?: IdempotentCall,
): Promise<Order> {
  const order = await accessOrderAtProvider(caller, proof.orderId);
  const payment = await paymentToSettle(order, proof);
  return inTransaction(async (tx) => {
    if (payment) await settlePayment(tx, order.provider, payment);
    return accessOrder(caller, order.id);
  }, idempotency);
}

/** Returns the captured payment of the order; undefined if it is recorded. */
async function paymentToSettle(
  order: PaymentOrderRow,
  { orderId, paymentId, signature }: PaymentProof,
): Promise<ProviderPayment | undefined> {
  const provider = providerNamed(order.provider);
  const open = toOpenOrder(order);
  if (!provider.hasSigned) {
    if (isPaid(order)) return undefined;
    const captured = (await provider.capturePaymentsOf(open)).find((payment) => payment.captured);
    if (!captured) throw notCaptured();
    return fitting(open, captured);
  }
  if (!paymentId || !signature || !provider.hasSigned(orderId, paymentId, signature)) throw signatureInvalid();
  if (await isPaymentKnown(order.provider, paymentId)) return undefined;
  return fitting(open, await provider.capturePayment(paymentId, open));
}

function fitting(open: OpenOrder, payment: ProviderPayment | undefined): ProviderPayment {
  if (!payment || !isFor(open, payment)) throw paymentDoesNotFit();
  if (!payment.captured) throw notCaptured();
  return payment;
}
