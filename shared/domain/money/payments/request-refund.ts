import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { OrderModel } from "./order.model.ts";
import { providerNamed } from "./payments.config.ts";
import type { ProviderPayment } from "./providers/provider.ts";
import { refundPayment } from "./refund-payment.ts";

/** Asks providers again about refunds whose outcome is unknown. Run every minute. */
export const refundsJob = defineJob("payments.refunds", {
  retries: 1,
  retryMaxSeconds: 60,
  timeoutSeconds: 300,
  exclusive: true,
});

/** How many refunds a run asks about. */
const batchSize = 50;

export interface RefundInput {
  readonly reason: string;
  /** A payment of the order. Default: the one that paid it. */
  readonly payment_id?: string | undefined;
}

/**
 * Refunds what is left of a payment through its provider. The request is committed before the provider is asked, so
 * that no outcome is lost: an unknown one is asked again by a job, with the same key.
 * @throws NOT_FOUND, CONFLICT when there is nothing to refund or a refund is pending, IDEMPOTENCY_CONFLICT
 */
export async function requestRefund(
  caller: AdminPrincipal,
  orderId: string,
  input: RefundInput,
  idempotency?: IdempotentCall,
): Promise<void> {
  const { id } = await inTransaction((tx) => storeRequest(tx, caller, orderId, input), idempotency);
  await sendRefund(id).catch((error: unknown) => {
    logger.warn({ err: error, orderId }, "the outcome of a refund is unknown; it will be asked again");
  });
}

interface RefundableRow {
  readonly id: string;
  readonly left: number;
}

async function storeRequest(
  tx: Tx,
  caller: AdminPrincipal,
  orderId: string,
  { reason, payment_id }: RefundInput,
): Promise<{ id: string }> {
  const order = await OrderModel.lock(tx, { id: orderId }, ["status", "currency", "provider"]);
  if (!order) throw new DomainError("NOT_FOUND");
  if (order.provider === "apple") throw new DomainError("CONFLICT", "Only the store can refund this purchase.");
  const [payment] = await tx.query<RefundableRow>(
    `SELECT id, amount - refunded_amount AS left FROM payments
     WHERE order_id = $1 AND CASE WHEN $2::uuid IS NULL THEN settles ELSE id = $2 END`,
    [orderId, payment_id ?? null],
  );
  if (!payment && payment_id) throw new DomainError("NOT_FOUND", "This order has no such payment.");
  if (!payment) throw new DomainError("CONFLICT", "This order isn't paid.");
  if (payment.left === 0) throw new DomainError("CONFLICT", "This payment is already refunded.");
  const open = await tx.query("SELECT 1 FROM payment_refund_requests WHERE payment_id = $1 AND status = 'pending'", [
    payment.id,
  ]);
  if (open.length > 0) throw new DomainError("CONFLICT", "A refund of this payment is pending.");

  const id = newId();
  await tx.query(
    `INSERT INTO payment_refund_requests (id, payment_id, amount, reason, requested_by, next_try_at)
     VALUES ($1, $2, $3, $4, $5, now() + interval '1 minute')`,
    [id, payment.id, payment.left, reason, caller.adminId],
  );
  await tx.audit(caller, {
    action: "order.refund",
    target: { type: "order", id: orderId },
    before: { status: order.status },
    after: { refund_request_id: id, payment_id: payment.id, amount: payment.left, currency: order.currency },
    reason,
  });
  return { id };
}

interface RequestRow {
  readonly amount: number;
  readonly status: string;
  readonly provider: string;
  readonly provider_payment_id: string;
  readonly paid: number;
  readonly currency: string;
  readonly provider_order_id: string;
}

/**
 * Asks the provider for a pending refund, and takes back what the money had bought. Safe to repeat: the provider knows
 * the refund by its key.
 * @throws ENGINE_UNAVAILABLE when the outcome is unknown
 */
async function sendRefund(id: string): Promise<void> {
  const request = await queryOne<RequestRow>(
    `SELECT r.amount, r.status, p.provider, p.provider_payment_id, p.amount AS paid, o.currency, o.provider_order_id
     FROM payment_refund_requests r JOIN payments p ON p.id = r.payment_id JOIN payment_orders o ON o.id = p.order_id
     WHERE r.id = $1`,
    [id],
  );
  if (request?.status !== "pending") return;
  const { provider, provider_payment_id, amount, currency } = request;

  const answer = await providerNamed(provider).refundPayment(provider_payment_id, { key: id, amount, currency });
  // A webhook tells when the money is on its way; without one, the job asks again.
  if (answer.status === "pending") return;
  if (answer.status === "rejected") return endRequest(id, "failed", answer.why);

  const payment: ProviderPayment = {
    id: provider_payment_id,
    orderId: request.provider_order_id,
    amount: request.paid,
    currency,
    captured: true,
  };
  const { refund } = answer;
  await inTransaction(async (tx) => {
    await refundPayment(tx, provider, payment, refund);
    await endRequestsOf(tx, provider, provider_payment_id);
  });
}

async function endRequest(id: string, status: "failed", failure: string): Promise<void> {
  await alone("UPDATE payment_refund_requests SET status = $2, failure = $3 WHERE id = $1 AND status = 'pending'", [
    id,
    status,
    failure.slice(0, 300),
  ]);
}

/** Step: ends the pending request of a payment that is refunded in full, also when a webhook said so first. */
export async function endRequestsOf(tx: Tx, provider: string, providerPaymentId: string): Promise<void> {
  await tx.query(
    `UPDATE payment_refund_requests r SET status = 'succeeded' FROM payments p
     WHERE p.id = r.payment_id AND r.status = 'pending' AND p.provider = $1 AND p.provider_payment_id = $2
       AND p.refunded_amount = p.amount`,
    [provider, providerPaymentId],
  );
}

/** Asks again about pending refunds that are due: after 1, 2, 4 … minutes, at most an hour. */
export async function sendDueRefunds(): Promise<void> {
  const due = await alone<{ id: string }>(
    `UPDATE payment_refund_requests
     SET tries = tries + 1, next_try_at = now() + least(power(2, least(tries, 10)), 60) * interval '1 minute'
     WHERE id IN (
       SELECT id FROM payment_refund_requests WHERE status = 'pending' AND next_try_at <= now()
       ORDER BY next_try_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
     ) RETURNING id`,
  );
  for (const { id } of due)
    await sendRefund(id).catch((error: unknown) => {
      logger.warn({ err: error, refundRequestId: id }, "the outcome of a refund is still unknown");
    });
}
