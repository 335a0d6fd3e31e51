import { expect } from "chai";
import { providerId } from "#shared/contracts/views/payment-views.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { FakeStripe } from "#shared/testing/fakes/fake-stripe.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { until } from "#shared/testing/until.ts";
import type { OpenOrder, PaymentProvider } from "./provider.ts";
import { makeStripe } from "./stripe.ts";
import { fromStripe, toStripe } from "./stripe-money.ts";

const halfAnHourMs = 1_800_000;

describe("Stripe", () => {
  let fake: FakeStripe;
  let stripe: PaymentProvider;
  /** For calls that are not answered. */
  let hasty: PaymentProvider;

  beforeEach(async () => {
    fake = await FakeStripe.start();
    stripe = makeStripe(fake.credentials, 15_000);
    hasty = makeStripe(fake.credentials, 200);
  });
  afterEach(() => fake.stop());

  const draft = (change: { amount?: number; currency?: string } = {}) => ({
    id: newId(),
    amount: 9_900,
    currency: "USD",
    title: "Pouch: 600 coins",
    expiresAt: new Date(clock.now() + halfAnHourMs).toISOString(),
    ...change,
  });
  async function openOrder(): Promise<OpenOrder> {
    const order = draft();
    return { ...order, ...(await stripe.openOrder(order, false)) };
  }
  const paid = async () => fake.pay((await openOrder()).providerOrderId)!;
  const refundOf = (key: string, amount = 400) => ({ key, amount, currency: "USD" });

  it("opens a session by one call, and returns where to pay, without a secret", async () => {
    const order = await openOrder();
    expect(fake.calls).to.deep.equal([{ method: "POST", path: "/v1/checkout/sessions" }]);
    const [session] = fake.sessions.values();
    expect(session).to.deep.include({
      mode: "payment",
      client_reference_id: order.id,
      metadata: { order_id: order.id },
      amount_total: 9_900,
      currency: "usd",
      success_url: "https://app.example.com/paid?from=stripe&session_id={CHECKOUT_SESSION_ID}",
      cancel_url: "https://app.example.com/shop",
    });
    expect(session!.expires_at).to.be.closeTo((clock.now() + 2 * halfAnHourMs) / 1000, 5);
    const payload = stripe.payloadOf(order);
    expect(payload).to.deep.equal({
      provider: "stripe",
      order_id: session!.id,
      amount: 9_900,
      currency: "USD",
      description: "Pouch: 600 coins",
      checkout_url: session!.url,
    });
    expect(session!.id).to.have.length(66);
    expect(providerId().validate(session!.id).error).to.equal(undefined);
    expect(JSON.stringify(payload)).to.not.include(fake.secretKey);
  });

  it("gets the same session after a lost response, and is refused with another amount", async () => {
    const order = draft();
    fake.trouble("lose the answer");
    expect(await outcomeOf(hasty.openOrder(order, false))).to.equal("ENGINE_UNAVAILABLE");
    await until("the session is made", () => fake.sessions.size === 1);
    const { providerOrderId } = await stripe.openOrder(order, true);
    expect([...fake.sessions.keys()]).to.deep.equal([providerOrderId]);
    expect(await outcomeOf(stripe.openOrder({ ...order, amount: 100 }, true))).to.equal("ORDER_NOT_PAYABLE");
    expect(fake.sessions.size).to.equal(1);
  });

  it("is unavailable while it fails, limits, hangs, or says nonsense, and knows no other key", async () => {
    for (const trouble of ["fail", "limit", "hang", "garble"] as const) {
      fake.trouble(trouble);
      expect(await outcomeOf((trouble === "hang" ? hasty : stripe).openOrder(draft(), false)), trouble).to.equal(
        "ENGINE_UNAVAILABLE",
      );
    }
    const stranger = makeStripe({ ...fake.credentials, secretKey: "sk_test_other" }, 15_000);
    expect(await outcomeOf(stranger.openOrder(draft(), false))).to.equal("ENGINE_UNAVAILABLE");
  });

  it("converts amounts to its units, and names its limits in ours", async () => {
    for (const [currency, ours, theirs] of [
      ["USD", 499, 499],
      ["JPY", 500, 500],
      ["KRW", 5_000, 5_000],
      ["ISK", 500, 50_000],
      ["UGX", 5_000, 500_000],
      ["KWD", 1_230, 1_230],
    ] as const) {
      expect([toStripe(ours, currency), fromStripe(theirs, currency.toLowerCase())], currency).to.deep.equal([
        theirs,
        ours,
      ]);
    }
    for (const [currency, min, step] of [
      ["USD", 50, 1],
      ["JPY", 50, 1],
      ["GBP", 30, 1],
      ["ISK", 1, 1],
      ["KWD", 10, 10],
      ["AMD", 1, 1],
    ] as const)
      expect(stripe.limitsIn(currency), currency).to.deep.equal({ min, step });
    for (const [currency, amount] of [
      ["JPY", 49],
      ["KWD", 99_991],
    ] as const)
      expect(await outcomeOf(stripe.openOrder(draft({ currency, amount }), false)), currency).to.equal(
        "ORDER_NOT_PAYABLE",
      );
  });

  it("finds payments of its orders only", async () => {
    const order = await openOrder();
    expect(await stripe.capturePaymentsOf(order)).to.deep.equal([]);
    const intent = fake.pay(order.providerOrderId)!;
    const payment = { id: intent.id, orderId: order.providerOrderId, amount: 9_900, currency: "USD", captured: true };
    expect(await stripe.capturePaymentsOf(order)).to.deep.equal([payment]);
    expect(await stripe.capturePayment(intent.id, order)).to.deep.equal(payment);
    expect(await stripe.capturePayment("pi_unknown", order)).to.equal(undefined);
    fake.sessions.get(order.providerOrderId)!.client_reference_id = null;
    expect(await stripe.capturePayment(intent.id, order)).to.include({ orderId: null });
  });

  it("closes a session that waits, and leaves a paid one", async () => {
    const [waiting, done] = [await openOrder(), await openOrder()];
    fake.pay(done.providerOrderId);
    for (const order of [waiting, done]) await stripe.closeOrder!(order);
    expect([...fake.sessions.values()].map(({ status }) => status)).to.deep.equal(["expired", "complete"]);
  });

  it("refunds once for each key, also when Stripe has forgotten it", async () => {
    const { id } = await paid();
    const first = await stripe.refundPayment(id, refundOf("once"));
    fake.forgetKeys();
    expect(await stripe.refundPayment(id, refundOf("once"))).to.deep.equal(first);
    expect(first).to.deep.equal({ status: "processed", refund: { id: fake.refunds[0]!.id, amount: 400 } });
    expect(fake.refunds).to.have.length(1);
  });

  it("says whether a refund is pending, has failed, or is refused", async () => {
    const { id } = await paid();
    fake.refundsAre = "pending";
    expect(await stripe.refundPayment(id, refundOf("slow"))).to.deep.equal({ status: "pending" });
    fake.refunds[0]!.status = "failed";
    expect(await stripe.refundPayment(id, refundOf("slow"))).to.deep.include({ status: "rejected" });
    fake.trouble("decline");
    expect(await stripe.refundPayment(id, refundOf("poor"))).to.deep.include({ status: "rejected" });
    expect(await stripe.refundPayment(id, refundOf("much", 10_000))).to.deep.include({ status: "rejected" });
    fake.trouble("fail", 5);
    expect(await outcomeOf(stripe.refundPayment(id, refundOf("later")))).to.equal("ENGINE_UNAVAILABLE");
  });
});
