import { query, queryOne } from "#shared/db/query.ts";
import { sandbox } from "#shared/domain/payments/payments.config.ts";
import { newSandboxId, type SandboxPaymentRow } from "#shared/domain/payments/providers/sandbox.ts";
import { sandboxActions, sandboxWebhook } from "#shared/domain/payments/providers/sandbox-payments.ts";

/** What a person and the sandbox do about an order, without a page between them. */

export async function paymentOf(sandboxOrderId: string): Promise<SandboxPaymentRow> {
  const payment = await queryOne<SandboxPaymentRow>(
    `SELECT p.*, o.amount, o.currency FROM sandbox_payments p JOIN sandbox_orders o ON o.id = p.order_id
     WHERE p.order_id = $1 ORDER BY p.created_at DESC LIMIT 1`,
    [sandboxOrderId],
  );
  return payment!;
}

/** Does what a button of the checkout does, and answers the webhook that is to go out with it. */
export async function act(sandboxOrderId: string, action: "pay" | "decline" | "refund") {
  await sandboxActions[action]!(sandboxOrderId);
  return webhookOf(sandboxOrderId);
}

/** The webhook about the order's payment as it is now. */
export async function webhookOf(sandboxOrderId: string) {
  return sandboxWebhook(sandbox(), await paymentOf(sandboxOrderId));
}

/** What the checkout gives to the client of somebody who has paid. */
export async function proofOf(sandboxOrderId: string) {
  const { id } = await paymentOf(sandboxOrderId);
  return {
    payment_provider_order_id: sandboxOrderId,
    payment_provider_payment_id: id,
    payment_provider_signature: sandbox().signPayment(sandboxOrderId, id),
  };
}

/** A payment in the sandbox's books that is not what its order asks for; the checkout never makes one. */
export async function payOtherwise(sandboxOrderId: string, change: { amount?: number; currency?: string }) {
  await query(
    "UPDATE sandbox_orders SET amount = coalesce($2, amount), currency = coalesce($3, currency) WHERE id = $1",
    [sandboxOrderId, change.amount ?? null, change.currency ?? null],
  );
  return act(sandboxOrderId, "pay");
}

export const anotherPaymentId = () => newSandboxId("pay");
