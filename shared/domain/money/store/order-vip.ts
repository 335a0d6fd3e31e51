import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { OrderToPay } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { createOrder, type PaymentOrderDraft } from "#shared/domain/money/payments/create-order.ts";
import { planNotOnSale } from "./store.errors.ts";

/**
 * Orders a VIP plan, to be paid with money. The plan starts when the order is paid, see `vip-periods.ts`.
 * @throws NOT_FOUND (not on sale), ENGINE_UNAVAILABLE, ORDER_NOT_PAYABLE, IDEMPOTENCY_CONFLICT
 */
export function orderVip(caller: UserPrincipal, planId: string, idempotency?: IdempotentCall): Promise<OrderToPay> {
  return createOrder(caller, (tx) => draftOfPlan(tx, planId), idempotency);
}

/**
 * Step: returns what a plan sells. A store may have sold one that is retired by now.
 * @throws NOT_FOUND (not on sale)
 */
export async function draftOfPlan(tx: Tx, planId: string, { evenRetired = false } = {}): Promise<PaymentOrderDraft> {
  const [plan] = await tx.query<{ name: string; price: number; currency: string; duration_days: number }>(
    "SELECT name, price, currency, duration_days FROM vip_plans WHERE id = $1 AND (retired_at IS NULL OR $2)",
    [planId, evenRetired],
  );
  if (!plan) throw planNotOnSale();
  const { name, price: amount, currency, duration_days } = plan;
  return { kind: "vip", amount, currency, plan_id: planId, duration_days, title: `${name}, ${duration_days} days` };
}
