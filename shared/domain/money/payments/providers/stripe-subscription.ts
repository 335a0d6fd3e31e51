import Joi from "joi";
import type Stripe from "stripe";
import { type Infer, listOf, nullable, object, optional } from "#shared/contracts/fields.ts";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import type { SubscriptionStatus } from "#shared/contracts/views.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { clock, daysMs, minutesMs } from "#shared/kernel/clock.ts";
import type { ProviderPayment, Settlement } from "./provider.ts";
import { asked, found, isRejected } from "./stripe-client.ts";
import { fromStripe } from "./stripe-money.ts";
import { stripeList } from "./stripe-records.ts";

/** A subscription that an order of ours has started, as it is now at Stripe. All times are ISO 8601. */
export interface StripeSubscription {
  readonly id: string;
  /** The Checkout Session that started it, the provider's ID of that order. */
  readonly sessionId: string;
  readonly status: SubscriptionStatus;
  readonly autoRenew: boolean;
  readonly graceUntil: string | null;
  /** Until when it entitles to what it paid; null while the periods say so. */
  readonly endsAt: string | null;
  /** What the next period buys, as Stripe's price names it. */
  readonly nextPlanId: string | null;
  /** When Stripe was asked. */
  readonly at: string;
  readonly environment: "production" | "sandbox";
  /** Those that were paid, the earliest first: the last hundred at most, and at least one. */
  readonly periods: readonly StripePeriod[];
}

/** A paid period of a subscription. */
export interface StripePeriod {
  /** Stripe's payment intent; of one that cost nothing, the invoice. */
  readonly paymentId: string;
  /** Whether the order that started the subscription has paid it. */
  readonly isFirst: boolean;
  /** The plan, as Stripe's price names it; null if it names none. */
  readonly planId: string | null;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly paidAt: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly receipt: string;
}

/**
 * Step: records a subscription with the periods that it paid, each as an order. Returns what became of the payment
 * `paymentId`, which is of one of the periods.
 */
export type RecordStripeSubscription = (
  tx: Tx,
  subscription: StripeSubscription,
  paymentId: string,
) => Promise<Settlement>;

const whole = () => Joi.number().integer().min(0);
const named = { metadata: optional(nullable(Joi.object<Record<string, string>>())) };
const price = object({ id: providerId(), ...named, product: object({ id: providerId(), ...named }) });
const subscription = object({
  id: providerId(),
  livemode: Joi.boolean() as Joi.Schema<boolean>,
  status: Joi.string(),
  cancel_at: nullable(whole()),
  cancel_at_period_end: Joi.boolean() as Joi.Schema<boolean>,
  ended_at: nullable(whole()),
  pause_collection: nullable(object({})),
  items: object({ data: listOf(object({ price })) }),
});
const session = object({ id: providerId(), client_reference_id: nullable(Joi.string()), mode: Joi.string() });
const line = object({
  amount: Joi.number().integer(),
  period: object({ start: whole(), end: whole() }),
  pricing: nullable(object({ price_details: optional(object({ price: providerId() })) })),
});
const invoicePayment = object({
  status: Joi.string(),
  payment: object({ type: Joi.string(), payment_intent: optional(nullable(providerId())) }),
});
const invoice = object({
  id: providerId(),
  status: nullable(Joi.string()),
  billing_reason: nullable(Joi.string()),
  amount_paid: whole(),
  currency: Joi.string(),
  created: whole(),
  parent: nullable(object({ subscription_details: nullable(object({ subscription: providerId() })) })),
  status_transitions: object({ paid_at: nullable(whole()) }),
  lines: object({ data: listOf(line) }),
  payments: optional(object({ data: listOf(invoicePayment) })),
});
type Invoice = Infer<typeof invoice>;
type Line = Infer<typeof line>;
type Price = Infer<typeof price>;

/**
 * Stripe draws the money of a renewal about an hour after the period has ended, and retries for days only if that
 * fails: so long, a period lasts here.
 */
const settlingMs = minutesMs(180);
const iso = (seconds: number, laterMs = 0): string => new Date(seconds * 1000 + laterMs).toISOString();

/** Returns the ID of the subscription that an invoice (`in_…`) or a payment intent is of. */
export async function subscriptionPaidBy(client: Stripe, id: string): Promise<string | undefined> {
  let invoiceId: string | undefined = id;
  if (!id.startsWith("in_")) {
    const payment = { type: "payment_intent", payment_intent: id };
    const payments = await found(
      client.invoicePayments.list({ payment, limit: 1 }),
      stripeList(object({ invoice: providerId() })),
    );
    invoiceId = payments?.data[0]?.invoice;
  }
  const known = invoiceId && (await found(client.invoices.retrieve(invoiceId), invoice));
  return known ? known.parent?.subscription_details?.subscription : undefined;
}

/**
 * Returns a subscription as Stripe's books have it. Undefined if no order of ours has started it, or nothing has been
 * paid yet.
 */
export async function findSubscription(client: Stripe, id: string): Promise<StripeSubscription | undefined> {
  const at = new Date(clock.now()).toISOString();
  const [shown, sessions, paid] = await Promise.all([
    found(client.subscriptions.retrieve(id, { expand: ["items.data.price.product"] }), subscription),
    asked(client.checkout.sessions.list({ subscription: id, limit: 1 }), stripeList(session)),
    asked(
      client.invoices.list({ subscription: id, status: "paid", limit: 100, expand: ["data.payments"] }),
      stripeList(invoice),
    ),
  ]);
  const [started] = sessions.data.filter((one) => one.client_reference_id !== null && one.mode === "subscription");
  if (!shown || !started) return undefined;

  const plans = new PlansByPrice(client, shown.items.data);
  const periods: StripePeriod[] = [];
  for (const one of paid.data) {
    const bought = lineOf(one);
    if (bought) periods.push(periodOf(one, bought, await plans.of(bought)));
  }
  periods.sort(
    (a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt) || Date.parse(a.paidAt) - Date.parse(b.paidAt),
  );
  const last = periods.at(-1);
  return (
    last && {
      id,
      sessionId: started.id,
      ...stateOf(shown, last, at),
      nextPlanId: shown.items.data[0] ? planOf(shown.items.data[0].price) : null,
      at,
      environment: shown.livemode ? "production" : "sandbox",
      periods,
    }
  );
}

/** Returns the latest paid period, or that of one payment, as the payment that it is. */
export function paymentOf(
  shown: StripeSubscription,
  record: RecordStripeSubscription,
  is: (period: StripePeriod) => boolean = () => true,
): ProviderPayment | undefined {
  const period = shown.periods.findLast(is);
  if (!period) return undefined;
  const { paymentId, isFirst, amount, currency } = period;
  return {
    id: paymentId,
    orderId: isFirst ? shown.sessionId : paymentId,
    amount,
    currency,
    captured: true,
    settle: (tx) => record(tx, shown, paymentId),
  };
}

/**
 * Ends a subscription with the period that is paid: now, if it is over. What Stripe has rejected had ended before.
 */
export async function endSubscription(client: Stripe, id: string): Promise<void> {
  const shown = await found(client.subscriptions.retrieve(id), object({ status: Joi.string() }));
  const pays = shown?.status === "active" || shown?.status === "trialing";
  const ending = pays
    ? client.subscriptions.update(id, { cancel_at_period_end: true })
    : client.subscriptions.cancel(id);
  await asked(ending, object({ id: providerId() })).catch((error: unknown) => {
    if (!isRejected(error)) throw error;
  });
}

/** Of an invoice that changes plans, the line that was bought, not those that give back what was paid before. */
const lineOf = ({ lines }: Invoice): Line | undefined =>
  lines.data
    .filter(({ amount, period }) => amount >= 0 && period.end > period.start)
    .sort((a, b) => b.period.end - a.period.end || b.amount - a.amount)[0];

function periodOf(one: Invoice, { period }: Line, planId: string | null): StripePeriod {
  const intent = one.payments?.data.find(({ status, payment }) => status === "paid" && payment.payment_intent);
  return {
    paymentId: intent?.payment.payment_intent ?? one.id,
    isFirst: one.billing_reason === "subscription_create",
    planId,
    amount: fromStripe(one.amount_paid, one.currency),
    currency: one.currency.toUpperCase(),
    paidAt: iso(one.status_transitions.paid_at ?? one.created),
    startsAt: iso(period.start),
    endsAt: iso(period.end, settlingMs),
    receipt: JSON.stringify(one),
  };
}

/** A price names its plan in its metadata, or its product does. */
const planOf = ({ metadata, product }: Price): string | null => metadata?.plan_id ?? product.metadata?.plan_id ?? null;

/** The plans of prices; earlier ones are asked for once. */
class PlansByPrice {
  readonly #client: Stripe;
  readonly #known: Map<string, string | null>;

  constructor(client: Stripe, items: readonly { readonly price: Price }[]) {
    this.#client = client;
    this.#known = new Map(items.map(({ price: one }) => [one.id, planOf(one)]));
  }

  async of({ pricing }: Line): Promise<string | null> {
    const id = pricing?.price_details?.price;
    if (!id) return null;
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const asking = this.#client.prices.retrieve(id, { expand: ["product"] });
    const shown = await found(asking, price);
    const plan = shown ? planOf(shown) : null;
    this.#known.set(id, plan);
    return plan;
  }
}

type State = Pick<StripeSubscription, "status" | "autoRenew" | "graceUntil" | "endsAt">;

/**
 * What Stripe's states mean here. A user who is late to pay keeps VIP for the days of `subscription_grace_days`, and
 * then waits for Stripe's next attempt without it.
 */
function stateOf(shown: Infer<typeof subscription>, last: StripePeriod, at: string): State {
  const cancels = shown.cancel_at_period_end || shown.cancel_at !== null;
  const state = { autoRenew: !cancels, graceUntil: null, endsAt: null };
  const paidUntil = last.endsAt;
  switch (shown.status) {
    case "active":
    case "trialing":
      if (shown.pause_collection) return { ...state, status: "paused" };
      return { ...state, status: cancels ? "canceled" : "active" };
    case "paused":
      return { ...state, status: "paused" };
    case "past_due": {
      const graceUntil = new Date(Date.parse(paidUntil) + daysMs(setting("subscription_grace_days"))).toISOString();
      return at < graceUntil
        ? { ...state, status: "grace", graceUntil }
        : { ...state, status: "retry", endsAt: graceUntil };
    }
    case "canceled": {
      const endsAt = shown.ended_at === null ? at : iso(shown.ended_at);
      // At the end of a period, or for want of money, it expires; earlier, someone at Stripe has ended it.
      const status = Date.parse(endsAt) < Date.parse(paidUntil) - settlingMs ? "revoked" : "expired";
      return { autoRenew: false, graceUntil: null, status, endsAt };
    }
    default:
      return { ...state, status: "retry", endsAt: at > paidUntil ? at : paidUntil };
  }
}
