import { query, queryOne } from "#shared/db/query.ts";
import { sandbox } from "#shared/domain/money/payments/payments.config.ts";
import { newSandboxId, type SandboxPaymentRow } from "#shared/domain/money/payments/providers/sandbox.ts";
import { sandboxActions, sandboxWebhook } from "#shared/domain/money/payments/providers/sandbox-payments.ts";

/** The actions of a user and the sandbox on an order, without the checkout page. */

export async function paymentOf(sandboxOrderId: string): Promise<SandboxPaymentRow> {
  const payment = await queryOne<SandboxPaymentRow>(
    `SELECT p.*, o.amount, o.currency FROM sandbox_payments p JOIN sandbox_orders o ON o.id = p.order_id
     WHERE p.order_id = $1 ORDER BY p.created_at DESC LIMIT 1`,
    [sandboxOrderId],
  );
  return payment!;
}

/** Performs the action of a checkout button. Returns the resulting webhook. */
export async function act(sandboxOrderId: string, action: "pay" | "decline" | "refund") {
  await sandboxActions[action]!(sandboxOrderId);
  return webhookOf(sandboxOrderId);
}

/** Returns a webhook about the current state of the order's payment. */
export async function webhookOf(sandboxOrderId: string) {
  return sandboxWebhook(sandbox(), await paymentOf(sandboxOrderId));
}

/** Returns the values that the checkout passes to the client after a payment. */
export async function proofOf(sandboxOrderId: string) {
  const { id } = await paymentOf(sandboxOrderId);
  return {
    payment_provider_order_id: sandboxOrderId,
    payment_provider_payment_id: id,
    payment_provider_signature: sandbox().signPayment(sandboxOrderId, id),
  };
}

/** Creates a payment in the sandbox that doesn't match its order, which the checkout never does. */
export async function payOtherwise(sandboxOrderId: string, change: { amount?: number; currency?: string }) {
  await query(
    "UPDATE sandbox_orders SET amount = coalesce($2, amount), currency = coalesce($3, currency) WHERE id = $1",
    [sandboxOrderId, change.amount ?? null, change.currency ?? null],
  );
  return act(sandboxOrderId, "pay");
}

export const anotherPaymentId = () => newSandboxId("pay");
