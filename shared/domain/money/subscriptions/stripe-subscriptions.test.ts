import { expect } from "chai";
import { hashRequest } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { expireOrders } from "#shared/domain/money/payments/expire-orders.ts";
import { reconcileOrder } from "#shared/domain/money/payments/reconcile-order.ts";
import { requestRefund } from "#shared/domain/money/payments/request-refund.ts";
import { verifyPayment } from "#shared/domain/money/payments/verify-payment.ts";
import { orderVip } from "#shared/domain/money/store/order-vip.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import type { FakeInvoice, FakeSubscription } from "#shared/testing/fakes/stripe-renewals.ts";
import { useStripe } from "#shared/testing/fakes/stripe-scene.ts";
import { adminCaller, callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { listSubscriptions } from "./subscriptions.queries.ts";

describe("a subscription at Stripe", () => {
  const service = useService();
  const stripe = useStripe();
  const { tell } = stripe;

  async function ordered() {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ renews: true })]);
    const { order } = await orderVip(callerOf(user), plan.id);
    const at = order.provider_order_id!;
    return { user, plan, order, at, session: stripe.fake.sessions.get(at)! };
  }
  const told = {
    session: (at: string) => stripe.fake.webhook("checkout.session.completed", stripe.fake.sessions.get(at)!),
    invoice: (invoice: FakeInvoice, what = "paid") => stripe.fake.webhook(`invoice.${what}`, invoice),
    changed: (subscription: FakeSubscription, what = "updated") =>
      stripe.fake.webhook(`customer.subscription.${what}`, subscription),
  };
  /** A user whose subscription began `daysAgo`, and was told. */
  async function subscribed(change: { daysAgo?: number } = {}) {
    const scene = await ordered();
    const subscription = stripe.fake.subscribe(scene.at, change);
    const [first] = stripe.fake.invoicesOf(subscription);
    await tell(told.invoice(first!));
    return { ...scene, subscription, first: first! };
  }

  const ordersOf = ({ id }: BuiltUser) =>
    query<{ id: string; status: string; amount: number; renews: boolean; plan_id: string }>(
      "SELECT id, status, amount, renews, plan_id FROM payment_orders WHERE user_id = $1 ORDER BY id",
      [id],
    );
  const statusesOf = async (user: BuiltUser) => (await ordersOf(user)).map(({ status }) => status);
  const shownTo = async ({ id }: BuiltUser) => (await listSubscriptions(id))[0];
  const vipOf = async ({ id }: BuiltUser) => (await findUserCard(id)).vip;
  /** Waits until VIP ends in so many days, or is over (0): it begins and ends by events. */
  const vipEndsIn = (user: BuiltUser, days: number) =>
    until(
      `VIP ends in ${days} days`,
      async () => {
        const vip = await vipOf(user);
        if (!vip || days === 0) return !vip === (days === 0);
        return Math.abs(Date.parse(vip.expires_at) - Date.now() - daysMs(days)) < daysMs(0.2);
      },
      15_000,
    );
  const balanced = async (user: BuiltUser) =>
    expect(await differencesOf(user.id, ...(await ordersOf(user)).map(({ id }) => id))).to.deep.equal([]);

  it("is ordered as a price that renews, with whose it is, for what", async () => {
    const { user, plan, order, session } = await ordered();
    expect(session).to.deep.include({ mode: "subscription", client_reference_id: order.id, amount_total: 29_900 });
    const [price] = [...stripe.fake.prices.values()];
    expect(price).to.deep.include({ currency: "inr", recurring: { interval: "day", interval_count: 30 } });
    expect(price!.product.metadata).to.deep.equal({ plan_id: plan.id });
    const { metadata } = stripe.fake.subscribe(session.id);
    expect(metadata).to.deep.equal({ order_id: order.id, user_id: user.id, plan_id: plan.id });
    expect((await ordersOf(user))[0]!.renews).to.equal(true);
  });

  it("is the same one after a lost response", async () => {
    const [user, plan] = await Promise.all([buildUser(), buildPlan({ renews: true })]);
    const repeated = { scope: `${user.id} post /store/vip`, key: newId(), requestHash: hashRequest(plan.id) };
    const order = () => orderVip(callerOf(user), plan.id, repeated);
    stripe.fake.trouble("lose the answer");
    expect(await outcomeOf(stripe.unanswered(order))).to.equal("ENGINE_UNAVAILABLE");
    await until("the session is made", () => stripe.fake.sessions.size === 1);
    expect((await order()).order.provider_order_id).to.equal([...stripe.fake.sessions.keys()][0]);
    expect(stripe.fake.sessions.size).to.equal(1);
  });

  it("pays its order with the first period, and an order of its own with each later one", async () => {
    const { user, plan, order, subscription, first } = await subscribed({ daysAgo: 29 });
    await vipEndsIn(user, 1);
    const second = stripe.fake.cycle(subscription);
    for (const webhook of [told.invoice(second), told.invoice(first), told.session(order.provider_order_id!)])
      await tell(webhook);
    await Promise.all([tell(told.invoice(second)), tell(told.changed(subscription))]);

    const orders = await ordersOf(user);
    expect(orders).to.have.length(2);
    expect(orders[0]).to.include({ id: order.id, status: "paid" });
    expect(orders[1]).to.include({ status: "paid", amount: 29_900, renews: false, plan_id: plan.id });
    await vipEndsIn(user, 31);
    expect(await shownTo(user)).to.include({
      provider: "stripe",
      status: "active",
      auto_renew: true,
      plan_id: plan.id,
    });
    await balanced(user);
  });

  it("is settled by the client that comes back, and by asking Stripe", async () => {
    const [back, gone] = [await ordered(), await ordered()];
    expect(await outcomeOf(verifyPayment(callerOf(back.user), { orderId: back.at }))).to.equal("ORDER_NOT_PAYABLE");
    for (const { at } of [back, gone]) stripe.fake.subscribe(at);
    expect(await verifyPayment(callerOf(back.user), { orderId: back.at })).to.include({ status: "paid" });
    await reconcileOrder(gone.order.id);
    for (const { user } of [back, gone]) {
      expect(await shownTo(user)).to.include({ status: "active" });
      await vipEndsIn(user, 30);
    }
  });

  it("catches up with periods whose webhooks were lost, by whichever comes", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 70 });
    stripe.fake.cycle(subscription);
    stripe.fake.cycle(subscription);
    await tell(told.changed(subscription));
    expect(await statusesOf(user)).to.deep.equal(["paid", "paid", "paid"]);
    await vipEndsIn(user, 20);
    await balanced(user);
  });

  it("counts a period that costs nothing by its invoice", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 30 });
    const free = stripe.fake.cycle(subscription, { amount: 0 });
    await tell(told.invoice(free));
    const payments = await query(
      `SELECT p.provider_payment_id AS id, p.amount FROM payments p JOIN payment_orders o ON o.id = p.order_id
       WHERE o.user_id = $1 ORDER BY p.id`,
      [user.id],
    );
    expect(payments[1]).to.deep.equal({ id: free.id, amount: 0 });
    await vipEndsIn(user, 30);
  });

  it("keeps VIP in grace while a payment is retried, and suspends it then", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 30.5 });
    const unpaid = stripe.fake.cycle(subscription, { paid: false });
    await tell(told.invoice(unpaid, "payment_failed"));
    expect(await shownTo(user)).to.include({ status: "grace" });
    await vipEndsIn(user, 2.6);

    await query("UPDATE subscriptions SET grace_until = now() WHERE user_id = $1", [user.id]);
    expect(await shownTo(user)).to.include({ status: "retry" });
    subscription.status = "unpaid";
    await tell(told.changed(subscription));
    expect(await shownTo(user)).to.include({ status: "retry" });
    await vipEndsIn(user, 0);
    await tell(told.invoice(stripe.fake.payInvoice(unpaid)));
    expect(await shownTo(user)).to.include({ status: "active" });
    await vipEndsIn(user, 29.6);
  });

  it("is overdue without VIP after its grace, and expires when Stripe gives up", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 40 });
    await tell(told.invoice(stripe.fake.cycle(subscription, { paid: false }), "payment_failed"));
    expect([(await shownTo(user))?.status, await vipOf(user)]).to.deep.equal(["retry", null]);
    stripe.fake.cancel(subscription.id);
    await tell(told.changed(subscription, "deleted"));
    expect(await shownTo(user)).to.include({ status: "expired", auto_renew: false });
  });

  it("is paused until it is resumed; what was paid lasts", async () => {
    const { user, subscription } = await subscribed();
    subscription.pause_collection = { behavior: "void", resumes_at: null };
    await tell(told.changed(subscription));
    expect(await shownTo(user)).to.include({ status: "paused" });
    await vipEndsIn(user, 30);
    subscription.pause_collection = null;
    await tell(told.changed(subscription));
    expect(await shownTo(user)).to.include({ status: "active" });
    subscription.status = "paused";
    await tell(told.changed(subscription, "paused"));
    expect(await shownTo(user)).to.include({ status: "paused" });
    subscription.status = "active";
    await tell(told.changed(subscription, "resumed"));
    expect(await shownTo(user)).to.include({ status: "active" });
  });

  it("is canceled with its period by its user only, and at once if it is unpaid", async () => {
    const { user, plan, subscription } = await subscribed();
    const { id } = (await shownTo(user))!;
    expect(await outcomeOf(cancelSubscription(callerOf(await buildUser()), id))).to.equal("NOT_FOUND");
    expect(await outcomeOf(orderVip(callerOf(user), plan.id))).to.equal("CONFLICT");
    expect(await cancelSubscription(callerOf(user), id)).to.deep.equal({ manage_url: null });
    expect(subscription.cancel_at_period_end).to.equal(true);
    expect(await shownTo(user)).to.include({ status: "canceled", auto_renew: false });
    await vipEndsIn(user, 30);
    expect(await outcomeOf(orderVip(callerOf(user), plan.id))).to.equal("ok");

    const late = await subscribed({ daysAgo: 31 });
    await tell(told.invoice(stripe.fake.cycle(late.subscription, { paid: false }), "payment_failed"));
    await cancelSubscription(callerOf(late.user), (await shownTo(late.user))!.id);
    expect([late.subscription.status, (await shownTo(late.user))?.status]).to.deep.equal(["canceled", "expired"]);
    await vipEndsIn(late.user, 0);
  });

  it("is canceled when its account is erased, also if Stripe is away at first", async () => {
    const { user, subscription } = await subscribed();
    await query("UPDATE users SET status = 'deletion_pending', deletion_due_at = now() WHERE id = $1", [user.id]);
    stripe.fake.trouble("fail", 2);
    await eraseUser(user.id, service.actors);
    await until("it is canceled", () => subscription.cancel_at_period_end, 15_000);
  });

  it("ends at once when the operator ends it before its time", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 3 });
    await vipEndsIn(user, 27);
    stripe.fake.cancel(subscription.id);
    await tell(told.changed(subscription, "deleted"));
    expect(await shownTo(user)).to.include({ status: "revoked", auto_renew: false });
    await vipEndsIn(user, 0);
  });

  it("changes to the plan that its new price names, when that is paid", async () => {
    const { user, plan, subscription } = await subscribed({ daysAgo: 10 });
    const gold = await buildPlan({ renews: true });
    const price = stripe.fake.makePrice({ amount_total: 59_900, currency: "inr" }, { plan_id: gold.id });
    stripe.fake.change(subscription, price);
    await tell(told.changed(subscription));
    expect(await shownTo(user)).to.include({ plan_id: plan.id, pending_plan_id: gold.id });

    const billed = stripe.fake.change(subscription, price, { billed: 20_000 })!;
    await tell(told.invoice(billed));
    expect(await shownTo(user)).to.include({ plan_id: gold.id, pending_plan_id: null });
    await until("the new plan has begun", async () => (await vipOf(user))?.plan_id === gold.id, 15_000);
    await vipEndsIn(user, 20);
    const orders = await ordersOf(user);
    expect(orders[1]).to.include({ plan_id: gold.id, amount: 20_000, status: "paid" });
  });

  it("loses the period that is refunded or disputed, and gets it back, in any order of events", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 31 });
    const invoice = stripe.fake.cycle(subscription);
    const intent = stripe.fake.intentOf(invoice);
    const refund = stripe.fake.refund(intent);
    // The refund's event is the first to come of this period.
    await tell(stripe.fake.webhook("charge.refunded", { id: "ch_1", object: "charge", payment_intent: intent.id }));
    await tell(told.invoice(invoice));
    expect(await statusesOf(user)).to.deep.equal(["paid", "refunded"]);
    await vipEndsIn(user, 0);
    refund.status = "failed";
    await tell(stripe.fake.webhook("refund.failed", refund));
    expect(await statusesOf(user)).to.deep.equal(["paid", "paid"]);
    await vipEndsIn(user, 29);

    const dispute = stripe.fake.dispute(intent);
    await tell(stripe.fake.webhook("charge.dispute.created", dispute));
    expect(await statusesOf(user)).to.deep.equal(["paid", "refunded"]);
    await balanced(user);
  });

  it("is refunded by an administrator, a period for itself", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 30 });
    await tell(told.invoice(stripe.fake.cycle(subscription)));
    const [, second] = await ordersOf(user);
    const { id: adminId } = await buildAdmin(["orders.write"]);
    await requestRefund({ ...adminCaller(), adminId }, second!.id, { reason: "A test" });
    expect(await statusesOf(user)).to.deep.equal(["paid", "refunded"]);
    const purchases = await query("SELECT state FROM store_purchases WHERE user_id = $1 ORDER BY id", [user.id]);
    expect(purchases).to.deep.equal([{ state: "paid" }, { state: "refunded" }]);
    expect(subscription.status).to.equal("active");
  });

  it("has one checkout at a time, however often it is ordered", async () => {
    const { user, plan, order } = await ordered();
    const more = await Promise.all([1, 2, 3].map(() => orderVip(callerOf(user), plan.id)));
    expect(more.map((each) => each.order.id)).to.deep.equal([order.id, order.id, order.id]);
    expect(await statusesOf(user)).to.deep.equal(["created"]);
    const other = await orderVip(callerOf(await buildUser()), plan.id);
    expect(other.order.id).to.not.equal(order.id);
  });

  it("buys nothing with another amount, currency, or plan than ordered", async () => {
    const other = await buildPlan();
    for (const change of [{ amount: 1 }, { amount: 30_000 }, { currency: "usd" }, { plan: other.id }]) {
      const { user, at } = await ordered();
      if ("plan" in change) [...stripe.fake.prices.values()].at(-1)!.product.metadata.plan_id = change.plan!;
      const subscription = stripe.fake.subscribe(at, "plan" in change ? {} : change);
      await tell(told.invoice(stripe.fake.invoicesOf(subscription)[0]!));
      await tell(told.invoice(stripe.fake.cycle(subscription)));
      expect(await statusesOf(user)).to.deep.equal(["created"]);
      expect([await shownTo(user), await vipOf(user)]).to.deep.equal([undefined, null]);
    }
  });

  it("is its buyer's, whatever its metadata say, and no one's without an order of ours", async () => {
    const thief = await buildUser();
    const { user, at, order } = await ordered();
    const subscription = stripe.fake.subscribe(at);
    Object.assign(subscription.metadata, { user_id: thief.id, order_id: newId() });
    const [invoice] = stripe.fake.invoicesOf(subscription);
    await tell(told.invoice(invoice!));
    expect(await shownTo(user)).to.include({ status: "active" });

    const foreign = await ordered();
    const theirs = stripe.fake.subscribe(foreign.at);
    for (const change of [
      { client_reference_id: null },
      { client_reference_id: order.id, subscription: "sub_other" },
    ]) {
      Object.assign(foreign.session, change);
      await tell(told.invoice(stripe.fake.cycle(theirs)));
      await tell(told.changed(theirs));
    }
    // Signed, but about what Stripe doesn't have, or what is no subscription.
    const never = { ...invoice!, id: "in_of_another_account" };
    for (const webhook of [
      told.invoice(never),
      stripe.fake.webhook("invoice.paid", { ...invoice!, id: subscription.id }),
    ])
      await tell(webhook);
    for (const one of [thief, foreign.user])
      expect([await shownTo(one), await vipOf(one)]).to.deep.equal([undefined, null]);
    expect(await statusesOf(foreign.user)).to.deep.equal(["created"]);
    expect(await statusesOf(user)).to.deep.equal(["paid"]);
  });

  it("buys nothing with a later price that names no plan of ours, and says so in the books of events", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 30 });
    for (const metadata of [{}, { plan_id: newId() }, { plan_id: "gold" }]) {
      subscription.items.data[0]!.price = stripe.fake.makePrice({ amount_total: 100, currency: "inr" }, metadata);
      await tell(told.invoice(stripe.fake.cycle(subscription)));
    }
    expect(await statusesOf(user)).to.deep.equal(["paid"]);
    const outcomes = await query<{ outcome: string }>(
      "SELECT outcome FROM payment_events WHERE provider = 'stripe' AND type = 'invoice.paid' ORDER BY id DESC LIMIT 3",
    );
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(["mismatch", "mismatch", "mismatch"]);
  });

  it("isn't begun by a session that expires", async () => {
    const { order, session, user } = await ordered();
    await query("UPDATE payment_orders SET expires_at = now() - interval '1 second' WHERE id = $1", [order.id]);
    await expireOrders();
    await until("the session is closed", () => session.status === "expired", 15_000);
    await tell(stripe.fake.webhook("checkout.session.expired", session));
    expect(await statusesOf(user)).to.deep.equal(["expired"]);
  });

  it("is told again by Stripe while its API is away", async () => {
    const { user, subscription } = await subscribed({ daysAgo: 30 });
    const webhook = told.invoice(stripe.fake.cycle(subscription));
    stripe.fake.trouble("fail", 9);
    expect(await outcomeOf(tell(webhook))).to.equal("ENGINE_UNAVAILABLE");
    stripe.fake.trouble("fail", 0);
    await tell(webhook);
    expect(await statusesOf(user)).to.deep.equal(["paid", "paid"]);
  });
});
