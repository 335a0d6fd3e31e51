import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { stripeExamples } from "#shared/testing/fakes/fake-stripe.ts";
import { differencesOf, giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { type FakeIntent, nowSeconds } from "#shared/testing/fakes/stripe-books.ts";
import { useStripe } from "#shared/testing/fakes/stripe-scene.ts";
import { forgedWebhooks } from "#shared/testing/forged-webhooks.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { expireOrders } from "./expire-orders.ts";
import { orderRecords } from "./order-records.queries.ts";
import { reconcileOrder } from "./reconcile-order.ts";
import { refundPayment } from "./refund-payment.ts";
import { verifyPayment } from "./verify-payment.ts";

const sessionTypes = ["completed", "async_payment_succeeded", "async_payment_failed", "expired"].map(
  (on) => `checkout.session.${on}`,
);

describe("payments at Stripe", () => {
  useService();
  const stripe = useStripe();
  const { ordered, tell, verify } = stripe;

  const events = usePublishedEvents();
  const sessionOf = (at: string) => stripe.fake.sessions.get(at)!;
  const completed = (at: string) => stripe.fake.webhook("checkout.session.completed", sessionOf(at));
  const outcomesOf = async (at: string): Promise<string[]> =>
    (
      await query<{ outcome: string }>(
        "SELECT outcome FROM payment_events WHERE provider = 'stripe' AND summary #>> '{payment,order_id}' = $1 ORDER BY id",
        [at],
      )
    ).map(({ outcome }) => outcome);
  const lastEvent = (type: string) =>
    query<{ outcome: string; summary: object }>(
      "SELECT outcome, summary FROM payment_events WHERE provider = 'stripe' AND type = $1 ORDER BY id DESC LIMIT 1",
      [type],
    ) as Promise<[{ outcome: string; summary: object }]>;
  /** The events about disputes of an order, in their order. */
  const toldOf = async (order_id: string) =>
    (
      await Promise.all(
        (["opened", "won", "lost"] as const).map(async (what) =>
          (await events.of(`dispute.${what}`, { order_id })).map(() => what),
        ),
      )
    ).flat();
  /** A user with a paid order. */
  async function paid() {
    const scene = await ordered();
    const intent = stripe.fake.pay(scene.at)!;
    await tell(completed(scene.at));
    return { ...scene, intent };
  }
  const about = (type: string, intent: FakeIntent) =>
    stripe.fake.webhook(type, { id: "ch_1", object: "charge", payment_intent: intent.id });

  it("are credited once by the webhook and by the client that comes back", async () => {
    const { user, at, orderId, shown } = await ordered();
    expect(await outcomeOf(verifyPayment(callerOf(user), { orderId: at }))).to.equal("ORDER_NOT_PAYABLE");
    const payment = stripe.fake.pay(at)!;
    const webhook = completed(at);
    await Promise.all([tell(webhook), tell(webhook), verify(user, payment), verify(user, payment)]);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    expect(await outcomesOf(at)).to.have.length(1);
    expect(await outcomeOf(verify(await buildUser(), payment))).to.equal("NOT_FOUND");
    const { length } = stripe.fake.calls;
    expect(await verify(user, payment)).to.include({ id: orderId, status: "paid" });
    expect(stripe.fake.calls).to.have.length(length);
    expect(JSON.stringify(await query("SELECT summary FROM payment_events"))).to.not.match(/canary|jenny/i);
  });

  it("are credited when a slow method succeeds, and failed when it fails", async () => {
    const [good, bad] = [await ordered(), await ordered()];
    for (const { at } of [good, bad]) stripe.fake.pay(at, { status: "authorized" });
    for (const { at } of [good, bad]) await tell(completed(at));
    expect([await good.shown(), await bad.shown()]).to.deep.equal([
      ["created", 0, 0],
      ["created", 0, 0],
    ]);
    const intent = stripe.fake.intents.get(sessionOf(good.at).payment_intent!)!;
    Object.assign(intent, { status: "succeeded", amount_received: intent.amount });
    await tell(stripe.fake.webhook("checkout.session.async_payment_succeeded", sessionOf(good.at)));
    await tell(stripe.fake.webhook("checkout.session.async_payment_failed", sessionOf(bad.at)));
    expect([await good.shown(), await bad.shown()]).to.deep.equal([
      ["paid", 100, 0],
      ["failed", 0, 0],
    ]);
  });

  it("end with their order: an expired session can't be paid", async () => {
    const { orderId, at, shown } = await ordered();
    await query("UPDATE payment_orders SET expires_at = now() - interval '1 second' WHERE id = $1", [orderId]);
    await expireOrders();
    await until("the session is closed", () => sessionOf(at).status === "expired", 15_000);
    await tell(stripe.fake.webhook("checkout.session.expired", sessionOf(at)));
    expect(await shown()).to.deep.equal(["expired", 0, 0]);
  });

  it("are found when no webhook comes", async () => {
    const { orderId, at, shown } = await ordered();
    stripe.fake.pay(at);
    await reconcileOrder(orderId);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("are taken back by refunds and disputes in any order of events, and given back by a won dispute", async () => {
    const { user, orderId, at, intent, shown } = await paid();
    await giveCoins(user, -30);
    const refund = stripe.fake.refund(intent, intent.amount / 2);
    const refunded = about("charge.refunded", intent);
    const dispute = stripe.fake.dispute(intent);
    const disputed = stripe.fake.webhook("charge.dispute.created", { ...dispute });
    await tell(disputed);
    await tell(refunded);
    expect(await shown()).to.deep.equal(["refunded", 0, 30]);
    const { id: provider_refund_id, amount } = dispute;
    const order = { order_id: orderId, user_id: user.id, kind: "coins", provider: "stripe", currency: "INR" };
    expect(await events.of("dispute.opened", { order_id: orderId })).to.deep.equal([
      { ...order, provider_refund_id, amount },
    ]);

    dispute.status = "won";
    await tell(stripe.fake.webhook("charge.dispute.closed", dispute));
    await tell(stripe.fake.signed(disputed.body));
    expect(await shown()).to.deep.equal(["paid", 20, 0]);
    expect(await toldOf(orderId)).to.deep.equal(["opened", "won"]);
    refund.status = "failed";
    await tell(stripe.fake.webhook("refund.failed", refund));
    expect(await shown()).to.deep.equal(["paid", 70, 0]);
    expect(await outcomesOf(at)).to.include.members(["paid", "refunded", "reversed"]);
    expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });

  it("keep what they bought when a lost dispute is read late that was won meanwhile", async () => {
    const { user, orderId, at, intent, shown } = await paid();
    const dispute = stripe.fake.dispute(intent);
    dispute.status = "won";
    await tell(stripe.fake.webhook("charge.dispute.closed", dispute));
    const { id, amount, currency } = intent;
    const payment = { id, orderId: at, amount, currency: currency.toUpperCase(), captured: true };
    const read = { id: dispute.id, amount };
    expect(await inTransaction((tx) => refundPayment(tx, "stripe", payment, read))).to.equal("seen");
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    expect(await differencesOf(orderId, user.id)).to.deep.equal([]);
  });

  it("are lost once when a dispute is lost, also if it is appealed, and until the appeal is won", async () => {
    const { orderId, intent, shown } = await paid();
    const dispute = stripe.fake.dispute(intent);
    const now = async (status: typeof dispute.status, type = "updated") => {
      dispute.status = status;
      await tell(stripe.fake.webhook(`charge.dispute.${type}`, { ...dispute }));
      return [(await shown())[0], (await orderRecords(orderId)).payments[0]!.refunds[0]!.dispute];
    };
    expect(await now("under_review")).to.deep.equal(["refunded", "open"]);
    expect(await now("lost", "closed")).to.deep.equal(["refunded", "lost"]);
    expect(await now("appeal_under_review")).to.deep.equal(["refunded", "lost"]);
    expect(await toldOf(orderId)).to.deep.equal(["opened", "lost"]);
    expect(await now("won", "closed")).to.deep.equal(["paid", "won"]);
    expect(await now("won", "funds_reinstated")).to.deep.equal(["paid", "won"]);
    expect(await toldOf(orderId)).to.deep.equal(["opened", "won", "lost"]);
  });

  it("are taken back by a dispute that was prevented only if it took money, and not besides its refund", async () => {
    const [refunded, taken] = [await paid(), await paid()];
    stripe.fake.refund(refunded.intent, 4_950);
    stripe.fake.dispute(refunded.intent, "prevented");
    await tell(about("charge.refunded", refunded.intent));
    expect(await refunded.shown()).to.deep.equal(["paid", 50, 0]);
    const withdrawn = stripe.fake.dispute(taken.intent, "prevented");
    withdrawn.balance_transactions = [{ amount: -withdrawn.amount }];
    await tell(stripe.fake.webhook("charge.dispute.closed", withdrawn));
    expect(await taken.shown()).to.deep.equal(["refunded", 0, 0]);
    expect(await toldOf(taken.orderId)).to.deep.equal(["opened", "lost"]);
  });

  it("keep what they bought while a dispute is an inquiry, or a refund is pending", async () => {
    const { intent, shown } = await paid();
    stripe.fake.refundsAre = "pending";
    stripe.fake.refund(intent, 100);
    await tell(about("charge.refunded", intent));
    stripe.fake.disputes.length = 0;
    await tell(stripe.fake.webhook("charge.dispute.created", stripe.fake.dispute(intent, "warning_needs_response")));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("are retried by Stripe while its API is away", async () => {
    const { at, shown } = await ordered();
    stripe.fake.pay(at);
    stripe.fake.trouble("fail", 9);
    expect(await outcomeOf(tell(completed(at)))).to.equal("ENGINE_UNAVAILABLE");
    stripe.fake.trouble("fail", 0);
    await tell(completed(at));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("are never credited by more than 300 forged webhooks", async () => {
    const { user, at, shown } = await ordered();
    const [stranger] = [await ordered()];
    const paidThere = stripe.fake.pay(stranger.at)!;
    const session = { ...sessionOf(at), payment_status: "paid", status: "complete", payment_intent: paidThere.id };
    const event = JSON.parse(stripe.fake.webhook("checkout.session.completed", session).body);
    const forgeries = forgedWebhooks(stripe.fake, event);
    expect(forgeries.size).to.be.greaterThan(300);
    for (const [what, forgery] of forgeries)
      expect(await outcomeOf(tell(forgery)), what).to.equal("PAYMENT_SIGNATURE_INVALID");

    // Signed, but untrue: the API says that nothing was paid for this order.
    const changed = (change: object) => JSON.stringify({ ...event, data: { object: { ...session, ...change } } });
    const untrue = [
      changed({}),
      ...[1, 9_900, 1e9].map((amount_total) => changed({ amount_total, payment_intent: "pi_other" })),
      changed({ currency: "inr", client_reference_id: user.id }),
      changed({ id: "cs_test_of_another_account" }),
      changed({ object: "charge", payment_intent: "pi_of_another_account" }),
      JSON.stringify({ ...event, account: "acct_other" }),
      JSON.stringify({ ...event, type: "checkout.session.expired", livemode: true }),
    ];
    for (const told of untrue) await tell(stripe.fake.signed(told));
    expect(await shown()).to.deep.equal(["created", 0, 0]);
    expect((await stranger.shown())[1]).to.equal(0);
  });

  it("are credited once, however often their webhook is replayed", async () => {
    const { at, shown } = await paid();
    const { body } = completed(at);
    const again = Array.from({ length: 10 }, (_, age) => stripe.fake.signed(body, { timestamp: nowSeconds() - age }));
    await Promise.all([...again, completed(at)].map(tell));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("take the examples of Stripe's reference, which are of no order here, without any effect", async () => {
    const { shown } = await paid();
    const told = {
      "checkout.session": sessionTypes,
      charge: ["charge.refunded", "charge.succeeded", "charge.updated", "charge.captured"],
      refund: ["refund.created", "refund.updated", "refund.failed", "charge.refund.updated"],
      dispute: ["created", "updated", "closed", "funds_withdrawn", "funds_reinstated"].map(
        (on) => `charge.dispute.${on}`,
      ),
      payment_intent: ["payment_intent.created", "payment_intent.succeeded", "payment_intent.payment_failed"],
      invoice: ["invoice.paid", "invoice.payment_failed", "invoice.created", "invoice.finalized"],
      subscription: ["created", "updated", "deleted", "paused"].map((on) => `customer.subscription.${on}`),
      invoice_payment: ["invoice_payment.paid"],
      price: ["price.created"],
    };
    for (const [kind, types] of Object.entries(told))
      for (const type of types) {
        await tell(stripe.fake.webhook(type, stripeExamples[kind]!));
        const [{ outcome, summary }] = await lastEvent(type);
        expect(outcome, type).to.equal("ignored");
        expect(JSON.stringify(summary), type).to.not.match(/jenny|rosen|4242/i);
      }
    expect(Object.keys(told)).to.have.members(Object.keys(stripeExamples));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("buy nothing with another amount or currency", async () => {
    for (const change of [{ amount: 1 }, { amount: 9_901 }, { currency: "jpy" }]) {
      const { at, user, shown } = await ordered();
      const payment = stripe.fake.pay(at, change)!;
      await tell(completed(at));
      expect(await outcomeOf(verify(user, payment))).to.equal("CONFLICT");
      expect(await shown()).to.deep.equal(["created", 0, 0]);
    }
  });

  it("reject what is no JSON, and record what is no event", async () => {
    expect(await outcomeOf(tell(stripe.fake.signed("{")))).to.equal("MALFORMED_JSON");
    for (const body of ['"text"', "{}", '{"id":"evt_1","type":"charge.refunded","data":{"object":null}}'])
      await tell(stripe.fake.signed(body));
    const rows = await query(
      "SELECT DISTINCT outcome FROM payment_events WHERE provider = 'stripe' AND type = 'unnamed'",
    );
    expect(rows).to.deep.equal([{ outcome: "malformed" }]);
  });
});
