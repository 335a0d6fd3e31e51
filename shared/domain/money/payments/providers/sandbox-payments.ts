import { query, queryOne } from "#shared/db/query.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type PaymentOrderRow, shownStatus } from "../payments.queries.ts";
import { newSandboxId, type Sandbox, type SandboxPaymentRow, selectPayments } from "./sandbox.ts";

/** An order as the sandbox shows it to the payer. */
export interface SandboxOrder extends Pick<PaymentOrderRow, "id" | "title" | "amount" | "currency" | "status"> {
  /** The payment that counts: the captured one, else the last that failed. */
  readonly payment: SandboxPaymentRow | undefined;
}

/** @throws NOT_FOUND */
export async function sandboxOrder(id: string): Promise<SandboxOrder> {
  const order = await queryOne<Omit<SandboxOrder, "payment">>(
    `SELECT s.id, s.title, s.amount, s.currency, ${shownStatus} AS status
     FROM sandbox_orders s JOIN payment_orders o ON o.id = s.receipt WHERE s.id = $1`,
    [id],
  );
  if (!order) throw new DomainError("NOT_FOUND", "The sandbox has no such order.");
  const payment = await queryOne<SandboxPaymentRow>(
    `${selectPayments} WHERE p.order_id = $1 ORDER BY p.status = 'failed', p.created_at DESC LIMIT 1`,
    [id],
  );
  return { ...order, payment };
}

/**
 * What a user can do at the sandbox. Each returns whether it changed the sandbox's books. A paid order isn't paid again
 * or declined, and only a paid order is refunded.
 */
export const sandboxActions: { readonly [name: string]: (orderId: string) => Promise<boolean> } = {
  pay: (orderId) =>
    hasChanged(
      `INSERT INTO sandbox_payments (id, order_id, status) VALUES ($1, $2, 'captured')
       ON CONFLICT (order_id) WHERE status <> 'failed' DO NOTHING RETURNING 1`,
      [newSandboxId("pay"), orderId],
    ),
  decline: (orderId) =>
    hasChanged(
      `INSERT INTO sandbox_payments (id, order_id, status) SELECT $1, $2, 'failed'
       WHERE NOT EXISTS (SELECT 1 FROM sandbox_payments WHERE order_id = $2 AND status <> 'failed') RETURNING 1`,
      [newSandboxId("pay"), orderId],
    ),
  refund: (orderId) =>
    hasChanged(
      `UPDATE sandbox_payments SET status = 'refunded', refund_id = $1
       WHERE order_id = $2 AND status = 'captured' RETURNING 1`,
      [newSandboxId("rfnd"), orderId],
    ),
};

const hasChanged = async (text: string, values: readonly string[]): Promise<boolean> =>
  (await query(text, values)).length > 0;

const eventTypes = { captured: "payment.captured", failed: "payment.failed", refunded: "refund.processed" } as const;

/** Returns the signed webhook about a payment as it is now; the same each time. */
export function sandboxWebhook(signer: Sandbox, payment: SandboxPaymentRow) {
  const { id, order_id, amount, currency, status, refund_id } = payment;
  const created_at = Math.floor(Date.parse(payment.created_at) / 1000);
  const captured = status !== "failed";
  const refund = { id: refund_id, entity: "refund", payment_id: id, amount, currency, status: "processed" };
  const body = JSON.stringify({
    entity: "event",
    event: eventTypes[status],
    payload: {
      payment: { entity: { id, entity: "payment", order_id, amount, currency, status, captured, created_at } },
      ...(refund_id !== null && { refund: { entity: refund } }),
    },
    created_at,
  });
  const headers = {
    "content-type": "application/json",
    "x-sandbox-signature": signer.signWebhook(body),
    "x-sandbox-event-id": `evt_${id}_${status}`,
  };
  return { body, headers };
}

const deliverWithinMs = 5000;

/** Posts a webhook to the service at `origin`. Returns the HTTP status; undefined without a response. */
export async function deliverSandboxWebhook(
  origin: string,
  { body, headers }: ReturnType<typeof sandboxWebhook>,
): Promise<number | undefined> {
  try {
    const signal = AbortSignal.timeout(deliverWithinMs);
    const url = `${origin}/api/v1/payments/webhook/sandbox`;
    return (await fetch(url, { method: "POST", body, headers, signal })).status;
  } catch (error) {
    logger.warn({ err: error }, "the sandbox's webhook got no response");
    return undefined;
  }
}
