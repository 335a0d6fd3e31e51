import {
  type FakeIntent,
  type FakeSession,
  type Form,
  missing,
  nowSeconds,
  StripeBooks,
  stripeId,
} from "./stripe-books.ts";

const daySeconds = 86_400;

export interface FakePrice {
  id: string;
  object: "price";
  currency: string;
  unit_amount: number;
  recurring: { interval: "day"; interval_count: number };
  metadata: Record<string, string>;
  product: { id: string; object: "product"; name: string; metadata: Record<string, string> };
}

export interface FakeSubscription {
  id: string;
  object: "subscription";
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  created: number;
  customer: string;
  ended_at: number | null;
  livemode: boolean;
  metadata: Record<string, string>;
  pause_collection: { behavior: "void"; resumes_at: null } | null;
  status: "incomplete" | "active" | "past_due" | "unpaid" | "canceled" | "paused";
  items: {
    object: "list";
    data: { id: string; price: FakePrice; current_period_start: number; current_period_end: number }[];
  };
}

export interface FakeInvoice {
  id: string;
  object: "invoice";
  amount_paid: number;
  billing_reason: "subscription_create" | "subscription_cycle" | "subscription_update" | "manual";
  created: number;
  currency: string;
  customer_email: string;
  parent: {
    type: "subscription_details";
    subscription_details: { subscription: string; metadata: Record<string, string> };
  };
  status: "paid" | "open" | "draft" | "void";
  status_transitions: { paid_at: number | null };
  lines: { object: "list"; data: FakeLine[] };
  payments: { object: "list"; data: FakeInvoicePayment[] };
}

interface FakeLine {
  id: string;
  amount: number;
  period: { start: number; end: number };
  pricing: { type: "price_details"; price_details: { price: string; product: string } };
  parent: { type: string; subscription_item_details: { proration: boolean } };
}

interface FakeInvoicePayment {
  id: string;
  object: "invoice_payment";
  created: number;
  invoice: string;
  payment: { type: "payment_intent"; payment_intent: string };
  status: "paid" | "open";
}

/** What a fake Stripe knows of subscriptions, and how its time goes on. */
export class StripeRenewals extends StripeBooks {
  readonly subscriptions = new Map<string, FakeSubscription>();
  readonly invoices = new Map<string, FakeInvoice>();
  readonly prices = new Map<string, FakePrice>();

  override openSession(asked: Form): FakeSession {
    const session = super.openSession(asked);
    if (session.mode !== "subscription") return session;
    const item = (asked.line_items as Form)[0] as Form;
    const { product_data, recurring } = item.price_data as Form;
    const { name, metadata = {} } = product_data as Form;
    const price = this.makePrice(session, metadata as Record<string, string>, String(name));
    price.recurring.interval_count = Number((recurring as Form).interval_count);
    this.#asked.set(session.id, {
      price,
      metadata: (asked.subscription_data as Form).metadata as Record<string, string>,
    });
    return session;
  }
  readonly #asked = new Map<string, { price: FakePrice; metadata: Record<string, string> }>();

  makePrice(
    { amount_total, currency }: { amount_total: number; currency: string },
    metadata: Record<string, string>,
    name = "A plan",
  ): FakePrice {
    const price: FakePrice = {
      id: stripeId("price"),
      object: "price",
      currency,
      unit_amount: amount_total,
      recurring: { interval: "day", interval_count: 30 },
      metadata: {},
      product: { id: stripeId("prod"), object: "product", name, metadata },
    };
    this.prices.set(price.id, price);
    return price;
  }

  /** Pays the session of a subscription, which begins now, or `daysAgo`. */
  subscribe(
    sessionId: string,
    change: { amount?: number; currency?: string; daysAgo?: number } = {},
  ): FakeSubscription {
    const session = this.sessions.get(sessionId)!;
    const { price, metadata } = this.#asked.get(sessionId)!;
    const start = nowSeconds() - (change.daysAgo ?? 0) * daySeconds;
    const made: FakeSubscription = {
      id: stripeId("sub"),
      object: "subscription",
      cancel_at: null,
      cancel_at_period_end: false,
      canceled_at: null,
      created: start,
      customer: stripeId("cus"),
      ended_at: null,
      livemode: false,
      metadata: { ...metadata },
      pause_collection: null,
      status: "active",
      items: {
        object: "list",
        data: [{ id: stripeId("si"), price, current_period_start: start, current_period_end: start }],
      },
    };
    this.subscriptions.set(made.id, made);
    this.cycle(made, { reason: "subscription_create", ...change });
    Object.assign(session, { subscription: made.id, status: "complete", payment_status: "paid", url: null });
    return made;
  }

  /** Goes on to the next period, with an invoice for it, which is paid unless `paid` is false. */
  cycle(
    subscription: FakeSubscription,
    {
      reason = "subscription_cycle",
      paid = true,
      amount,
      currency,
    }: { reason?: FakeInvoice["billing_reason"]; paid?: boolean; amount?: number; currency?: string } = {},
  ): FakeInvoice {
    const item = subscription.items.data[0]!;
    const { price } = item;
    const start = item.current_period_end;
    const end = start + price.recurring.interval_count * daySeconds;
    Object.assign(item, { current_period_start: start, current_period_end: end });
    const cost = amount ?? price.unit_amount;
    const made = this.#invoice(subscription, { reason, currency: currency ?? price.currency, created: start }, [
      lineOf(price, cost, { start, end }),
    ]);
    if (paid) this.payInvoice(made);
    else subscription.status = "past_due";
    return made;
  }

  /** Changes the price at once, and bills the difference at once if it says so. */
  change(
    subscription: FakeSubscription,
    price: FakePrice,
    { billed }: { billed?: number } = {},
  ): FakeInvoice | undefined {
    const item = subscription.items.data[0]!;
    const [before, period] = [item.price, { start: nowSeconds(), end: item.current_period_end }];
    item.price = price;
    if (billed === undefined) return undefined;
    const made = this.#invoice(
      subscription,
      { reason: "subscription_update", currency: price.currency, created: period.start },
      [lineOf(before, -1000, period, true), lineOf(price, billed + 1000, period, true)],
    );
    this.payInvoice(made, billed);
    return made;
  }

  #invoice(
    { id, metadata }: FakeSubscription,
    { reason, currency, created }: { reason: FakeInvoice["billing_reason"]; currency: string; created: number },
    lines: FakeLine[],
  ): FakeInvoice {
    const made: FakeInvoice = {
      id: stripeId("in"),
      object: "invoice",
      amount_paid: 0,
      billing_reason: reason,
      created,
      currency,
      customer_email: "canary@example.com",
      parent: { type: "subscription_details", subscription_details: { subscription: id, metadata } },
      status: "open",
      status_transitions: { paid_at: null },
      lines: { object: "list", data: lines },
      payments: { object: "list", data: [] },
    };
    this.invoices.set(made.id, made);
    return made;
  }

  /** Pays an invoice; one that costs nothing has no payment. */
  payInvoice(
    invoice: FakeInvoice,
    amount = invoice.lines.data.reduce((sum, line) => sum + line.amount, 0),
  ): FakeInvoice {
    Object.assign(invoice, { amount_paid: amount, status: "paid", status_transitions: { paid_at: nowSeconds() } });
    const { subscription } = invoice.parent.subscription_details;
    const of = this.subscriptions.get(subscription)!;
    if (of.status === "past_due" || of.status === "unpaid") of.status = "active";
    if (amount === 0) return invoice;
    const intent: FakeIntent = {
      id: stripeId("pi"),
      object: "payment_intent",
      amount,
      amount_received: amount,
      currency: invoice.currency,
      created: nowSeconds(),
      status: "succeeded",
      metadata: {},
      latest_charge: stripeId("ch"),
      order_id: "",
      captured: true,
      amount_refunded: 0,
    };
    this.intents.set(intent.id, intent);
    invoice.payments.data.push({
      id: stripeId("inpay"),
      object: "invoice_payment",
      created: nowSeconds(),
      invoice: invoice.id,
      payment: { type: "payment_intent", payment_intent: intent.id },
      status: "paid",
    });
    return invoice;
  }

  /** The payment of a paid invoice. */
  intentOf = (invoice: FakeInvoice): FakeIntent => this.intents.get(invoice.payments.data[0]!.payment.payment_intent)!;

  /** Returns the invoices of a subscription, the earliest first. */
  invoicesOf = ({ id }: { id: string }): FakeInvoice[] =>
    [...this.invoices.values()].filter((one) => one.parent.subscription_details.subscription === id);

  cancel(id: string, at = nowSeconds()): FakeSubscription {
    const subscription = this.subscriptions.get(id);
    if (!subscription || subscription.status === "canceled") throw missing("subscription", id);
    return Object.assign(subscription, { status: "canceled", canceled_at: nowSeconds(), ended_at: at });
  }
}

const lineOf = (price: FakePrice, amount: number, period: FakeLine["period"], proration = false): FakeLine => ({
  id: stripeId("il"),
  amount,
  period,
  pricing: { type: "price_details", price_details: { price: price.id, product: price.product.id } },
  parent: { type: "subscription_item_details", subscription_item_details: { proration } },
});
