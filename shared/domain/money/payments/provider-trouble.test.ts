import { expect } from "chai";
import { hashRequest } from "#shared/db/idempotency.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildPackage } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { orderCoins } from "./create-order.ts";
import { expireOrders } from "./expire-orders.ts";
import { configurePayments } from "./payments.config.ts";
import { reconcileOrder } from "./reconcile-order.ts";

const expireNow = (orderId: string) =>
  query("UPDATE payment_orders SET expires_at = now() - interval '1 second' WHERE id = $1", [orderId]);
const statusInTable = async (orderId: string) =>
  (await query("SELECT status FROM payment_orders WHERE id = $1", [orderId]))[0]?.status;

describe("when the provider is in trouble", () => {
  useService();
  const razorpay = useRazorpay();
  const { ordered, verify } = razorpay;

  /** An order that can be asked for again by its key. */
  async function buyer() {
    const [user, pack] = await Promise.all([buildUser(), buildPackage()]);
    const idempotency = { scope: `${user.id} post /payments/orders`, key: newId(), requestHash: hashRequest(pack.id) };
    const orders = () => query<{ id: string }>("SELECT id FROM payment_orders WHERE user_id = $1", [user.id]);
    return { user, orders, order: () => orderCoins(callerOf(user), pack.id, idempotency) };
  }

  for (const trouble of ["fail", "hang", "lose the answer", "garble"] as const)
    it(`continues with the same order after calls that ${trouble}`, async () => {
      const { orders, order } = await buyer();
      razorpay.fake.trouble(trouble);
      expect(await outcomeOf(razorpay.unanswered(order))).to.equal("ENGINE_UNAVAILABLE");
      await until("Razorpay was asked", () => razorpay.fake.calls.length > 0);
      const { order: made, providerPayload } = await order();
      expect(await order()).to.deep.equal({ order: made, providerPayload });
      expect(await orders()).to.deep.equal([{ id: made.id }]);
      expect([...razorpay.fake.orders.keys()]).to.deep.equal([made.provider_order_id]);
      expect(razorpay.fake.orders.get(made.provider_order_id!)).to.include({ receipt: made.id });
    });

  it("fails an order that the provider refuses, so that it isn't in the way of others", async () => {
    const [user, cheap] = await Promise.all([buildUser(), buildPackage({ price: 50 })]);
    for (let tries = 0; tries < 12; tries += 1)
      expect(await outcomeOf(orderCoins(callerOf(user), cheap.id))).to.equal("ORDER_NOT_PAYABLE");
    expect(await orderCoins(callerOf(user), (await buildPackage()).id)).to.have.property("order");
  });

  it("shows one of the provider's orders to two concurrent calls", async () => {
    const { order } = await buyer();
    const answers = await Promise.all(Array.from({ length: 8 }, order));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).to.equal(1);
  });

  it("does not open an expired order", async () => {
    const { orders, order } = await buyer();
    razorpay.fake.trouble("fail");
    expect(await outcomeOf(order())).to.equal("ENGINE_UNAVAILABLE");
    const [made] = await orders();
    await expireNow(made!.id);
    expect(await outcomeOf(order())).to.equal("ORDER_NOT_PAYABLE");
    expect(await expireOrders()).to.be.at.least(1);
    expect(await statusInTable(made!.id)).to.equal("expired");
  });

  it("verifies a payment later that it can't verify now, and credits nothing until then", async () => {
    const { user, at, shown } = await ordered();
    const payment = razorpay.fake.pay(at);
    for (const trouble of ["fail", "hang", "garble"] as const) {
      razorpay.fake.trouble(trouble);
      const asked = razorpay.unanswered(() => verify(user, payment));
      expect(await outcomeOf(asked)).to.equal("ENGINE_UNAVAILABLE");
      razorpay.fake.trouble(trouble, 0);
    }
    expect(await shown()).to.deep.equal(["created", 0, 0]);
    expect(await verify(user, payment)).to.include({ status: "paid" });
  });

  it("does not ask the provider about a recorded payment", async () => {
    const { user, at } = await ordered();
    const payment = razorpay.fake.pay(at);
    await verify(user, payment);
    const { length } = razorpay.fake.calls;
    await verify(user, payment);
    expect(razorpay.fake.calls).to.have.length(length);
  });
});

describe("overdue orders", () => {
  useService();
  const razorpay = useRazorpay();
  const { ordered, tell } = razorpay;

  it("expire once, however often the job runs; others do not", async () => {
    const [due, waiting, paid] = [await ordered(), await ordered(), await ordered()];
    await tell(razorpay.fake.webhook("payment.captured", razorpay.fake.pay(paid.at)));
    for (const { orderId } of [due, paid]) await expireNow(orderId);
    const counts = await Promise.all(Array.from({ length: 4 }, () => expireOrders()));
    expect(counts.reduce((sum, count) => sum + count)).to.be.at.least(1);
    expect(await expireOrders()).to.equal(0);
    expect(await statusInTable(due.orderId)).to.equal("expired");
    expect(await statusInTable(waiting.orderId)).to.equal("created");
    expect(await paid.shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("have their provider asked about unreported payments, in the background", async () => {
    const { orderId, at, shown } = await ordered();
    razorpay.fake.pay(at, { status: "failed" });
    razorpay.fake.pay(at, { status: "authorized" });
    await expireNow(orderId);
    await expireOrders();
    await until("the money is found", async () => (await shown())[0] === "paid", 15_000);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    await reconcileOrder(orderId);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("are reconciled again when the provider is unreachable, but not when it is not configured", async () => {
    const { orderId, at, shown } = await ordered();
    razorpay.fake.pay(at);
    razorpay.fake.trouble("fail");
    expect(await outcomeOf(reconcileOrder(orderId))).to.equal("ENGINE_UNAVAILABLE");
    const { credentials } = razorpay.fake;
    configurePayments({});
    await reconcileOrder(orderId);
    expect(await shown()).to.deep.equal(["created", 0, 0]);
    configurePayments({ razorpay: credentials });
    await reconcileOrder(orderId);
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("are reconciled later when an attempt has failed or money is reserved", async () => {
    for (const [event, status] of [
      ["payment.failed", "failed"],
      ["payment.authorized", "authorized"],
    ] as const) {
      const { orderId, at } = await ordered();
      const webhook = razorpay.fake.webhook(event, razorpay.fake.pay(at, { status }));
      await Promise.all([tell(webhook), tell(webhook)]);
      const asked = await query<{ waits: boolean }>(
        `SELECT start_after > now() + interval '30 seconds' AS waits FROM pgboss.job
         WHERE name = 'payments.reconcile' AND data->>'order_id' = $1`,
        [orderId],
      );
      expect(asked, event).to.deep.equal([{ waits: true }]);
    }
  });
});
