import { newId } from "#shared/kernel/ids.ts";

/** The objects of a fake Stripe, with the fields of its API that matter here and those that must not be stored. */
export interface FakeSession {
  id: string;
  object: "checkout.session";
  mode: "payment" | "subscription";
  client_reference_id: string | null;
  amount_total: number;
  currency: string;
  created: number;
  expires_at: number;
  metadata: Record<string, string>;
  payment_intent: string | null;
  subscription: string | null;
  payment_status: "paid" | "unpaid";
  status: "open" | "complete" | "expired";
  success_url: string;
  cancel_url: string;
  url: string | null;
  customer_details: { email: string; name: string };
}

/** A payment intent and its charge in one. */
export interface FakeIntent {
  id: string;
  object: "payment_intent";
  amount: number;
  amount_received: number;
  currency: string;
  created: number;
  status: "succeeded" | "processing" | "requires_payment_method";
  metadata: Record<string, string>;
  latest_charge: string;
  /** Of the test only: what the intent's order and refunds are. */
  order_id: string;
  captured: boolean;
  amount_refunded: number;
}

export interface FakeStripeRefund {
  id: string;
  object: "refund";
  amount: number;
  charge: string;
  created: number;
  currency: string;
  metadata: Record<string, string>;
  payment_intent: string;
  status: "succeeded" | "pending" | "failed" | "canceled";
}

export interface FakeDispute {
  id: string;
  object: "dispute";
  amount: number;
  charge: string;
  created: number;
  currency: string;
  payment_intent: string;
  reason: string;
  status:
    | "warning_needs_response"
    | "needs_response"
    | "under_review"
    | "won"
    | "lost"
    | "prevented"
    | "appeal_under_review";
  balance_transactions?: { amount: number }[];
}

export const stripeId = (prefix: string): string => `${prefix}_${newId().replaceAll("-", "").slice(-24)}`;
export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export class StripeFailure extends Error {
  readonly status: number;
  readonly fields: Record<string, string>;

  constructor(status: number, message: string, fields: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.fields = { type: "invalid_request_error", ...fields };
  }
}

export const missing = (what: string, id: string) =>
  new StripeFailure(404, `No such ${what}: '${id}'`, { code: "resource_missing", param: "id" });

export type Form = { [name: string]: string | Form };

/** Reads `a[b][0]=c` as Stripe does. */
export function readForm(text: string): Form {
  const form: Form = {};
  for (const [path, value] of new URLSearchParams(text)) {
    const names = path.split(/[[\]]+/).filter((name) => name !== "");
    let at = form;
    for (const name of names.slice(0, -1)) {
      at[name] ??= {};
      at = at[name] as Form;
    }
    at[names.at(-1)!] = value;
  }
  return form;
}

/** What a fake Stripe knows, and what its users, banks, and operators do there. */
export class StripeBooks {
  readonly sessions = new Map<string, FakeSession>();
  readonly intents = new Map<string, FakeIntent>();
  readonly refunds: FakeStripeRefund[] = [];
  readonly disputes: FakeDispute[] = [];
  /** The status of the refunds that are requested from now on. */
  refundsAre: FakeStripeRefund["status"] = "succeeded";

  openSession(asked: Form): FakeSession {
    const { mode, client_reference_id = null, success_url, cancel_url = "", metadata = {}, expires_at } = asked;
    const price = ((asked.line_items as Form)?.[0] as Form)?.price_data as Form;
    const [amount, currency, now] = [Number(price?.unit_amount), String(price?.currency), nowSeconds()];
    if (!success_url)
      throw new StripeFailure(400, "Missing required param: success_url.", { code: "parameter_missing" });
    if (!(amount >= (currency === "jpy" ? 50 : 30)))
      throw new StripeFailure(400, "The Checkout Session's total amount due must add up to more.", {
        code: "amount_too_small",
      });
    if (/^(bhd|jod|kwd|omr|tnd)$/.test(currency) && amount % 10 !== 0)
      throw new StripeFailure(400, "The last digit of the amount must be 0.", { code: "parameter_invalid_integer" });
    if (!(Number(expires_at) >= now + 1800 && Number(expires_at) <= now + 86_400))
      throw new StripeFailure(400, "The `expires_at` timestamp must be between 30 minutes and 24 hours away.");
    // As long as the real ones.
    const id = `cs_test_${`${stripeId("")}${stripeId("")}${stripeId("")}`.replaceAll("_", "").slice(0, 58)}`;
    const session: FakeSession = {
      id,
      object: "checkout.session",
      mode: mode as FakeSession["mode"],
      client_reference_id: client_reference_id as string | null,
      amount_total: amount,
      currency,
      created: now,
      expires_at: Number(expires_at),
      metadata: metadata as Record<string, string>,
      payment_intent: null,
      subscription: null,
      payment_status: "unpaid",
      status: "open",
      success_url: String(success_url),
      cancel_url: String(cancel_url),
      url: `https://checkout.stripe.com/c/pay/${id}#fidkdWxOYHwnPyd1blpxYHZxWjA0`,
      customer_details: { email: "canary@example.com", name: "Canary" },
    };
    this.sessions.set(id, session);
    return session;
  }

  expire(id: string): FakeSession {
    const session = this.sessions.get(id);
    if (!session) throw missing("checkout.session", id);
    if (session.status !== "open")
      throw new StripeFailure(400, 'Only Checkout Sessions with a status in ["open"] can be expired.');
    return Object.assign(session, { status: "expired", url: null });
  }

  /** Pays a session, or tries to. A session has one intent, and a paid or expired one can't be paid. */
  pay(sessionId: string, change: { status?: string; amount?: number; currency?: string } = {}): FakeIntent | undefined {
    const session = this.sessions.get(sessionId);
    if (session?.status !== "open")
      return session?.payment_intent ? this.intents.get(session.payment_intent) : undefined;
    const status = { authorized: "processing", failed: "requires_payment_method" }[change.status ?? ""] ?? "succeeded";
    const captured = status === "succeeded";
    const amount = change.amount ?? session.amount_total;
    const id = session.payment_intent ?? stripeId("pi");
    const intent: FakeIntent = {
      id,
      object: "payment_intent",
      amount,
      amount_received: captured ? amount : 0,
      currency: change.currency ?? session.currency,
      created: nowSeconds(),
      status: status as FakeIntent["status"],
      metadata: session.metadata,
      latest_charge: stripeId("ch"),
      order_id: sessionId,
      captured,
      amount_refunded: 0,
    };
    const known = this.intents.get(id);
    const made = known ? Object.assign(known, intent) : intent;
    this.intents.set(id, made);
    session.payment_intent = id;
    if (status !== "requires_payment_method") Object.assign(session, { status: "complete", url: null });
    if (captured) session.payment_status = "paid";
    return made;
  }

  /** A payment of 99.00 INR for an order of ours that we have lost, at that time. */
  payAt(created: number): FakeIntent {
    const { id } = this.openSession({
      mode: "payment",
      client_reference_id: newId(),
      success_url: "https://app.example.com",
      line_items: { 0: { price_data: { unit_amount: "9900", currency: "inr" } } },
      expires_at: `${nowSeconds() + 3600}`,
    });
    return Object.assign(this.pay(id)!, { created });
  }

  /** Refunds at the dashboard or through the API. */
  refund(intent: FakeIntent, amount = intent.amount - intent.amount_refunded, metadata = {}): FakeStripeRefund {
    if (this.disputes.some((one) => one.payment_intent === intent.id && one.status !== "won"))
      throw new StripeFailure(400, "This charge has been charged back.", { code: "charge_disputed" });
    if (amount > intent.amount_received - intent.amount_refunded)
      throw new StripeFailure(400, `Refund amount (${amount}) is greater than unrefunded amount on charge`);
    const refund: FakeStripeRefund = {
      id: stripeId("re"),
      object: "refund",
      amount,
      charge: intent.latest_charge,
      created: nowSeconds(),
      currency: intent.currency,
      metadata,
      payment_intent: intent.id,
      status: this.refundsAre,
    };
    this.refunds.push(refund);
    intent.amount_refunded += amount;
    return refund;
  }

  /** A bank takes the money back. */
  dispute(intent: FakeIntent, status: FakeDispute["status"] = "needs_response"): FakeDispute {
    const dispute: FakeDispute = {
      id: stripeId("du"),
      object: "dispute",
      amount: intent.amount,
      charge: intent.latest_charge,
      created: nowSeconds(),
      currency: intent.currency,
      payment_intent: intent.id,
      reason: "fraudulent",
      status,
    };
    this.disputes.push(dispute);
    return dispute;
  }

  /** The money that a payer has back. */
  takenOf(intent: FakeIntent): number {
    const of = (one: { payment_intent: string }) => one.payment_intent === intent.id;
    const refunded = this.refunds.filter((one) => of(one) && one.status === "succeeded");
    const disputed = this.disputes.filter((one) => of(one) && !/^(won|warning)/.test(one.status));
    const sum = [...refunded, ...disputed].reduce((total, { amount }) => total + amount, 0);
    return Math.min(sum, intent.amount);
  }
}
