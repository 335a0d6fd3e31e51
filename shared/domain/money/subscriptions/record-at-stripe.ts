import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { isPaid } from "#shared/domain/money/payments/payments.queries.ts";
import type { PaymentProvider, Settlement } from "#shared/domain/money/payments/providers/provider.ts";
import { makeStripe } from "#shared/domain/money/payments/providers/stripe.ts";
import type { StripeCredentials } from "#shared/domain/money/payments/providers/stripe-client.ts";
import type { StripePeriod, StripeSubscription } from "#shared/domain/money/payments/providers/stripe-subscription.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { endSubscribed } from "#shared/domain/money/store/vip-periods.ts";
import { logger } from "#shared/kernel/logger.ts";
import { configureCancellation } from "./cancel-subscription.ts";
import { recordSubscription, type SubscriptionChange } from "./record-subscription.ts";

/** Returns Stripe as a provider whose orders can start subscriptions, and lets users cancel them. */
export function makeRenewingStripe(credentials: StripeCredentials, timeoutMs?: number): PaymentProvider {
  const stripe = makeStripe(credentials, timeoutMs, recordAtStripe);
  configureCancellation("stripe", {
    cancel: async (id) => {
      const latest = await stripe.endRenewal!(id);
      if (latest?.settle) await inTransaction(latest.settle);
    },
  });
  return stripe;
}

/**
 * Step: see `RecordStripeSubscription`. Whose subscription it is, and what its first period had to cost, says the order
 * that started it: what Stripe's metadata say of users and orders is for people who look there.
 */
async function recordAtStripe(tx: Tx, shown: StripeSubscription, paymentId: string): Promise<Settlement> {
  const order = await orderOf(tx, shown.sessionId);
  if (!order) return "unknown_order";
  const first = shown.periods.find(({ isFirst }) => isFirst);
  if (!isPaid(order) && !(first && isAsOrdered(order, first))) {
    logger.error({ orderId: order.id, subscription: shown.id }, "a subscription differs from its order");
    return "mismatch";
  }

  const change = changeOf(order.user_id, shown);
  const known = await knownPayments(tx, shown);
  const news = shown.periods.filter((period) => !known.has(period.paymentId));
  let recorded = news.length === 0 ? await recordSubscription(tx, change, null) : undefined;
  for (const period of news) {
    recorded = await recordSubscription(tx, change, null, purchaseOf(order.user_id, shown, period));
    if (recorded.outcome !== "paid" && recorded.outcome !== "seen") return "mismatch";
  }
  const { endsAt } = shown;
  if (endsAt && recorded?.subscriptionId && !recorded.stale) await endSubscribed(tx, recorded.subscriptionId, endsAt);
  return known.has(paymentId) ? "seen" : "paid";
}

type OrderRow = {
  readonly id: string;
  readonly user_id: string;
  readonly plan_id: string | null;
  readonly status: "created" | "paid" | "failed" | "expired" | "refunded";
  readonly amount: number;
  readonly currency: string;
};

async function orderOf(tx: Tx, sessionId: string): Promise<OrderRow | undefined> {
  const [order] = await tx.query<OrderRow>(
    `SELECT id, user_id, plan_id, status, amount, currency FROM payment_orders
     WHERE provider = 'stripe' AND provider_order_id = $1 AND renews`,
    [sessionId],
  );
  return order;
}

const isAsOrdered = (order: OrderRow, { planId, amount, currency }: StripePeriod): boolean =>
  planId === order.plan_id && amount === order.amount && currency === order.currency;

async function knownPayments(tx: Tx, { periods }: StripeSubscription): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    "SELECT provider_payment_id AS id FROM payments WHERE provider = 'stripe' AND provider_payment_id = ANY($1)",
    [periods.map(({ paymentId }) => paymentId)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A change of plans that isn't paid yet is what the next period buys. */
function changeOf(userId: string, shown: StripeSubscription): SubscriptionChange {
  const { id: subscriptionId, status, autoRenew, graceUntil, nextPlanId, at } = shown;
  const { planId, startsAt, endsAt } = shown.periods.at(-1)!;
  return {
    provider: "stripe",
    subscriptionId,
    userId,
    item: { planId: planId ?? "" },
    at,
    status,
    autoRenew,
    period: { startsAt, endsAt },
    graceUntil,
    pendingItem: autoRenew && nextPlanId && nextPlanId !== planId ? { planId: nextPlanId } : null,
  };
}

const purchaseOf = (userId: string, shown: StripeSubscription, period: StripePeriod): VerifiedPurchase => ({
  provider: "stripe",
  environment: shown.environment,
  transactionId: period.paymentId,
  originalTransactionId: shown.id,
  orderedAs: period.isFirst ? shown.sessionId : undefined,
  userId,
  item: { planId: period.planId ?? "" },
  quantity: 1,
  price: { amount: period.amount, currency: period.currency },
  purchasedAt: period.paidAt,
  period: { startsAt: period.startsAt, endsAt: period.endsAt },
  receipt: period.receipt,
});
