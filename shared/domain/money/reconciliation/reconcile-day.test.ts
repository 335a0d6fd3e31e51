import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { historiesNow } from "#shared/domain/money/payments/payments.config.ts";
import { orderVip } from "#shared/domain/money/store/order-vip.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { differencesOf, ordered, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { nowSeconds, stripeId } from "#shared/testing/fakes/stripe-books.ts";
import { useStripe } from "#shared/testing/fakes/stripe-scene.ts";
import { act, paymentOf } from "#shared/testing/pay.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildPlan } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { receiveWebhook } from "../payments/receive-webhook.ts";
import { pruneFindings } from "./findings.ts";
import { reconcileDay } from "./reconcile-day.ts";
import { reconcileProviders } from "./reconcile-providers.ts";

const today = () => new Date().toISOString().slice(0, 10);

describe("the reconciliation with providers", () => {
  const service = useService();

  const reconcile = async (name: string) => {
    const [, history] = historiesNow().find(([provider]) => provider === name)!;
    const { findings } = await reconcileDay(name, history, today());
    return findings;
  };
  /** What was found about these, as `kind subject status`. */
  const foundAbout = async (name: string, ...ids: string[]) =>
    (await reconcile(name))
      .filter(({ provider_id }) => ids.includes(provider_id))
      .map(({ kind, subject, status }) => `${kind} ${subject} ${status}`);
  const stored = (id: string) =>
    query<{ kind: string; status: string }>("SELECT kind, status FROM payment_findings WHERE provider_id = $1", [id]);
  const confirmed = async (id: string) =>
    (
      await query<{ reconciled_at: string | null }>(
        "SELECT reconciled_at FROM payments WHERE provider_payment_id = $1",
        [id],
      )
    )[0]?.reconciled_at != null;

  describe("at Stripe", () => {
    const stripe = useStripe();
    /** A user with an order that was paid, and told if `told`. */
    async function paid({ told = true } = {}) {
      const scene = await stripe.ordered();
      const intent = stripe.fake.pay(scene.at)!;
      const session = stripe.fake.sessions.get(scene.at)!;
      if (told) await stripe.tell(stripe.fake.webhook("checkout.session.completed", session));
      return { ...scene, intent };
    }

    it("finds nothing where both agree, and says that the provider has confirmed it", async () => {
      const { intent } = await paid();
      stripe.fake.pay((await stripe.ordered()).at, { status: "failed" });
      expect(await foundAbout("stripe", intent.id)).to.deep.equal([]);
      expect(await confirmed(intent.id)).to.equal(true);
    });

    it("settles payments, refunds, and disputes whose webhooks were lost", async () => {
      const [untold, refunded, disputed] = [await paid({ told: false }), await paid(), await paid()];
      const refund = stripe.fake.refund(refunded.intent, refunded.intent.amount / 2);
      const dispute = stripe.fake.dispute(disputed.intent);
      const ids = [untold.intent.id, refund.id, dispute.id];

      expect(await foundAbout("stripe", ...ids)).to.have.members([
        "missing_here payment settled",
        "missing_here refund settled",
        "missing_here refund settled",
      ]);
      expect(await foundAbout("stripe", ...ids)).to.deep.equal([]);
      expect(await untold.shown()).to.deep.equal(["paid", 100, 0]);
      expect(await refunded.shown()).to.deep.equal(["paid", 50, 0]);
      expect(await disputed.shown()).to.deep.equal(["refunded", 0, 0]);
      const scenes = [untold, refunded, disputed];
      expect(await differencesOf(...scenes.flatMap(({ user, orderId }) => [user.id, orderId]))).to.deep.equal([]);
    });

    it("settles periods of subscriptions whose webhooks were lost, with their orders", async () => {
      const [user, plan] = await Promise.all([buildUser(), buildPlan({ renews: true })]);
      const { order } = await orderVip(callerOf(user), plan.id);
      const subscription = stripe.fake.subscribe(order.provider_order_id!, { daysAgo: 30 });
      const second = stripe.fake.cycle(subscription);
      const ids = [...stripe.fake.invoicesOf(subscription)].map((one) => stripe.fake.intentOf(one).id);
      const found = (await reconcile("stripe")).filter(({ provider_id }) => ids.includes(provider_id));
      expect(found.map(({ kind, status }) => `${kind} ${status}`)).to.deep.equal(Array(2).fill("missing_here settled"));
      expect(await foundAbout("stripe", ...ids)).to.deep.equal([]);
      expect(await query("SELECT status FROM payment_orders WHERE user_id = $1", [user.id])).to.deep.equal([
        { status: "paid" },
        { status: "paid" },
      ]);

      stripe.fake.cycle(subscription, { amount: 0 });
      await stripe.tell(stripe.fake.webhook("customer.subscription.updated", subscription));
      const refund = stripe.fake.refund(stripe.fake.intentOf(second));
      expect(await foundAbout("stripe", ...ids, refund.id)).to.deep.equal(["missing_here refund settled"]);
      expect(await foundAbout("stripe", ...ids, refund.id)).to.deep.equal([]);
    });

    it("finds other amounts, other states, and what Stripe doesn't have", async () => {
      const [amount, state, gone] = [await paid(), await paid(), await paid()];
      amount.intent.amount_received += 1;
      const refund = stripe.fake.refund(state.intent, 100);
      await stripe.tell(stripe.fake.webhook("refund.created", refund));
      refund.status = "failed";
      stripe.fake.intents.delete(gone.intent.id);

      const ids = [amount.intent.id, refund.id, gone.intent.id];
      const found = ["amount payment open", "state refund open", "missing_there payment open"];
      expect(await foundAbout("stripe", ...ids)).to.have.members(found);
      expect(await foundAbout("stripe", ...ids)).to.have.members(found);
      expect(await stored(gone.intent.id)).to.deep.equal([{ kind: "missing_there", status: "open" }]);

      amount.intent.amount_received -= 1;
      expect(await foundAbout("stripe", amount.intent.id)).to.deep.equal([]);
      expect(await stored(amount.intent.id)).to.deep.equal([{ kind: "amount", status: "settled" }]);
    });

    it("leaves out what isn't ours, and keeps a payment of an order that we have lost", async () => {
      const { intent, orderId } = await paid({ told: false });
      const foreign = await paid({ told: false });
      foreign.intent.metadata = {};
      stripe.fake.sessions.delete(foreign.at);
      await query("UPDATE payment_orders SET provider_order_id = 'lost' WHERE id = $1", [orderId]);
      intent.metadata = { order_id: stripeId("order") };
      expect(await foundAbout("stripe", intent.id, foreign.intent.id)).to.deep.equal(["missing_here payment open"]);
    });

    it("reads the books by pages, and only those of the day", async () => {
      const { intent } = await paid();
      const day = 86_400;
      for (const created of [...Array(250).fill(nowSeconds()), nowSeconds() - day, nowSeconds() + day])
        stripe.fake.intents.set(stripeId("pi"), {
          ...intent,
          id: stripeId("pi"),
          latest_charge: stripeId("ch"),
          created,
          status: "requires_payment_method",
          captured: false,
        });
      stripe.fake.calls.length = 0;
      await reconcile("stripe");
      expect(stripe.fake.calls.filter(({ path }) => path.startsWith("/v1/charges"))).to.have.length(3);
      expect(await confirmed(intent.id)).to.equal(true);
    });

    it("fails while Stripe is away, after the others were compared", async () => {
      const { intent } = await paid();
      stripe.fake.trouble("fail", 50);
      expect(await outcomeOf(reconcileProviders(today()))).to.equal("ENGINE_UNAVAILABLE");
      stripe.fake.trouble("fail", 0);
      const reports: string[] = [];
      await reconcileProviders(today(), (provider) => reports.push(provider));
      expect([reports, await confirmed(intent.id)]).to.deep.equal([["stripe"], true]);
    });

    it("is shown to administrators, who close what they have dealt with", async () => {
      const { intent, orderId } = await paid();
      stripe.fake.intents.delete(intent.id);
      await reconcile("stripe");
      const { token } = await buildAdmin(["orders.read", "orders.write", "health.read"]);
      const read = async (path: string) => (await service.admin("get", path, { token })).body.data;
      const { items } = await read(`/payment-findings?order_id=${orderId}&status=open`);
      expect(items).to.have.length(1);
      expect(items[0]).to.include({
        kind: "missing_there",
        provider: "stripe",
        provider_id: intent.id,
        amount_here: 9_900,
      });
      expect((await read("/health")).payments.findings).to.be.at.least(1);
      expect((await read(`/orders/${orderId}`)).findings[0]).to.include({ id: items[0].id, status: "open" });

      const close = () =>
        service.admin("post", `/payment-findings/${items[0].id}/close`, { token, body: { reason: "Asked Stripe" } });
      expect((await close()).body.data).to.include({ status: "closed" });
      expect((await close()).body.error.code).to.equal("CONFLICT");
      await reconcile("stripe");
      expect(await stored(intent.id)).to.deep.equal([{ kind: "missing_there", status: "closed" }]);

      await query("UPDATE payment_findings SET created_at = now() - interval '366 days' WHERE provider_id = $1", [
        intent.id,
      ]);
      await pruneFindings();
      expect(await stored(intent.id)).to.deep.equal([]);
    });
  });

  describe("at Razorpay", () => {
    const razorpay = useRazorpay();

    it("settles disputes whose webhooks were lost, once they have taken money", async () => {
      const paid = async () => {
        const scene = await razorpay.ordered();
        const payment = razorpay.fake.pay(scene.at);
        await razorpay.tell(razorpay.fake.webhook("payment.captured", payment));
        return { ...scene, payment };
      };
      const [open, lost] = [await paid(), await paid()];
      const disputes = [open, lost].map(({ payment }) => razorpay.fake.dispute(payment));
      const ids = disputes.map(({ id }) => id);
      expect(await foundAbout("razorpay", ...ids)).to.deep.equal([]);

      Object.assign(disputes[1]!, { status: "lost", amount_deducted: lost.payment.amount });
      expect(await foundAbout("razorpay", ...ids)).to.deep.equal(["missing_here refund settled"]);
      expect([await open.shown(), await lost.shown()]).to.deep.equal([
        ["paid", 100, 0],
        ["refunded", 0, 0],
      ]);

      // Opened on an earlier day, so that it is asked for alone.
      const { payment } = await paid();
      const opened = Math.floor(Date.now() / 1000) - 40 * 86_400;
      const told = razorpay.fake.dispute(payment, { status: "lost", created_at: opened });
      await razorpay.tell(razorpay.fake.webhook("payment.dispute.lost", payment, told));
      expect(await foundAbout("razorpay", told.id)).to.deep.equal([]);
      expect(razorpay.fake.calls.map(({ path }) => path)).to.include(`/v1/disputes/${told.id}`);
    });

    it("settles what is missing here, and finds what is missing there", async () => {
      const [untold, gone] = [await razorpay.ordered(), await razorpay.ordered()];
      const payment = razorpay.fake.pay(untold.at);
      const refund = razorpay.fake.refund(payment, payment.amount / 2);
      const lost = razorpay.fake.pay(gone.at);
      await razorpay.tell(razorpay.fake.webhook("payment.captured", lost));
      razorpay.fake.payments.delete(lost.id);
      for (let n = 0; n < 120; n += 1) razorpay.fake.pay(untold.at, { status: "failed" });

      expect(await foundAbout("razorpay", payment.id, refund.id, lost.id)).to.have.members([
        "missing_here payment settled",
        "missing_here refund settled",
        "missing_there payment open",
      ]);
      expect(await untold.shown()).to.deep.equal(["paid", 50, 0]);
    });
  });

  it("compares the sandbox's own records, too", async () => {
    const [untold, told] = [await ordered(), await ordered()];
    await act(untold.at, "pay");
    const { body, headers } = await act(told.at, "pay");
    await receiveWebhook("sandbox", Buffer.from(body), headers);
    await act(told.at, "refund");
    const [first, second] = [await paymentOf(untold.at), await paymentOf(told.at)];
    expect(await foundAbout("sandbox", first.id, second.refund_id!, second.id)).to.have.members([
      "missing_here payment settled",
      "missing_here refund settled",
    ]);
    expect([await untold.shown(), await told.shown()]).to.deep.equal([
      ["paid", 100, 0],
      ["refunded", 0, 0],
    ]);
  });
});
