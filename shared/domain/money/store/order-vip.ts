import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { OrderToPay } from "#shared/contracts/views.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { createOrder, type PaymentOrderDraft } from "#shared/domain/money/payments/create-order.ts";
import { alreadySubscribed, planNotOnSale } from "./store.errors.ts";

/**
 * Orders a VIP plan, to be paid with money. The plan starts when the order is paid, see `vip-periods.ts`.
 * @throws NOT_FOUND (not on sale), CONFLICT (a subscription pays for it already), ENGINE_UNAVAILABLE,
 *   ORDER_NOT_PAYABLE, IDEMPOTENCY_CONFLICT
 */
export function orderVip(caller: UserPrincipal, planId: string, idempotency?: IdempotentCall): Promise<OrderToPay> {
  const draft = async (tx: Tx) => {
    const plan = await draftOfPlan(tx, planId);
    if (plan.renews) await assertNotSubscribed(tx, caller.userId, planId);
    return plan;
  };
  return createOrder(caller, draft, idempotency);
}

async function assertNotSubscribed(tx: Tx, userId: string, planId: string): Promise<void> {
  const subscribed = await tx.query(
    `SELECT 1 FROM subscriptions WHERE user_id = $1 AND plan_id = $2
       AND status IN ('active', 'grace', 'retry', 'paused') LIMIT 1`,
    [userId, planId],
  );
  if (subscribed.length > 0) throw alreadySubscribed();
}

/**
 * Step: returns what a plan sells. A store may have sold one that is retired by now.
 * @throws NOT_FOUND (not on sale)
 */
export async function draftOfPlan(tx: Tx, planId: string, { evenRetired = false } = {}): Promise<PaymentOrderDraft> {
  const [plan] = await tx.query<{
    name: string;
    price: number;
    currency: string;
    duration_days: number;
    renews: boolean;
  }>(
    "SELECT name, price, currency, duration_days, renews FROM vip_plans WHERE id = $1 AND (retired_at IS NULL OR $2)",
    [planId, evenRetired],
  );
  if (!plan) throw planNotOnSale();
  const { name, price: amount, currency, duration_days, renews } = plan;
  return {
    kind: "vip",
    amount,
    currency,
    plan_id: planId,
    duration_days,
    renews,
    title: `${name}, ${duration_days} days`,
  };
}
