import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { listEntries } from "#shared/domain/money/ledger/ledger.queries.ts";
import type { FakeWebhook } from "#shared/testing/fakes/fake-razorpay.ts";
import { differencesOf, giveCoins, untilServed, useRazorpay } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { useService } from "#shared/testing/service.ts";

describe("a payment", () => {
  useService();
  const razorpay = useRazorpay();
  const published = usePublishedEvents();
  const { ordered, tell, verify } = razorpay;

  it("is credited once by fifty concurrent calls of verify and webhook", async () => {
    const { user, orderId, at, shown } = await ordered();
    const payment = razorpay.fake.pay(at);
    const webhooks = ["payment.captured", "order.paid"].map((event) => razorpay.fake.webhook(event, payment));
    const calls = Array.from({ length: 50 }, (_, index) =>
      outcomeOf(
        untilServed<unknown>(() =>
          index % 2 === 0 ? verify(user, payment) : tell(webhooks[index % 4 === 1 ? 0 : 1]!),
        ),
      ),
    );
    expect(new Set(await Promise.all(calls))).to.deep.equal(new Set(["ok"]));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    expect(await listEntries(user.id, { page: 1, limit: 10 })).to.include({ total: 1 });
    expect(await query("SELECT 1 FROM payments WHERE order_id = $1", [orderId])).to.have.length(1);
    expect(await published.of("order.paid", { order_id: orderId })).to.deep.equal([
      { order_id: orderId, user_id: user.id, kind: "coins" },
    ]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("counts after a failed attempt, or before one is reported", async () => {
    const { at, shown } = await ordered();
    const failed = razorpay.fake.webhook("payment.failed", razorpay.fake.pay(at, { status: "failed" }));
    await tell(failed);
    expect(await shown()).to.deep.equal(["failed", 0, 0]);
    await tell(razorpay.fake.webhook("payment.captured", razorpay.fake.pay(at)));
    await tell(razorpay.fake.webhook("payment.failed", razorpay.fake.pay(at, { status: "failed" })));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("counts after the order has expired: it was captured all the same", async () => {
    for (const how of ["webhook", "verify"] as const) {
      const { user, orderId, at, shown } = await ordered();
      await query("UPDATE payment_orders SET status = 'expired', expires_at = now() WHERE id = $1", [orderId]);
      const payment = razorpay.fake.pay(at);
      await (how === "webhook" ? tell(razorpay.fake.webhook("payment.captured", payment)) : verify(user, payment));
      expect(await shown()).to.deep.equal(["paid", 100, 0]);
    }
  });

  it("of another amount or currency buys nothing", async () => {
    for (const change of [{ amount: 100 }, { amount: 9_901 }, { currency: "USD" }]) {
      const { user, at, shown } = await ordered();
      const payment = razorpay.fake.pay(at, change);
      await tell(razorpay.fake.webhook("payment.captured", payment));
      expect(await outcomeOf(verify(user, payment))).to.equal("CONFLICT");
      expect(await shown(), JSON.stringify(change)).to.deep.equal(["created", 0, 0]);
    }
  });

  it("for another order is rejected, even if both are the caller's", async () => {
    const [mine, other] = [await ordered(), await ordered()];
    const payment = razorpay.fake.pay(other.at);
    const claimed = { ...payment, order_id: mine.at };
    expect(await outcomeOf(verify(mine.user, claimed))).to.equal("CONFLICT");
    expect(await mine.shown()).to.deep.equal(["created", 0, 0]);
  });

  it("that is only reserved is captured when it is verified, and a failed one is not payable", async () => {
    const { user, at, shown } = await ordered();
    const failed = razorpay.fake.pay(at, { status: "failed" });
    expect(await outcomeOf(verify(user, failed))).to.equal("ORDER_NOT_PAYABLE");
    const reserved = razorpay.fake.pay(at, { status: "authorized" });
    expect(await verify(user, reserved)).to.include({ status: "paid" });
    expect(reserved.status).to.equal("captured");
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
  });

  it("for a paid order buys nothing and is recorded as surplus", async () => {
    const { user, orderId, at, shown } = await ordered();
    const [first, second] = [razorpay.fake.pay(at), razorpay.fake.pay(at)];
    await Promise.all([first, second].map((payment) => tell(razorpay.fake.webhook("payment.captured", payment))));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    for (const payment of [first, second]) expect(await verify(user, payment)).to.include({ status: "paid" });
    const settled = await query<{ settles: boolean }>("SELECT settles FROM payments WHERE order_id = $1", [orderId]);
    expect(settled.map(({ settles }) => settles).sort()).to.deep.equal([false, true]);
    const surplus = await query<{ id: string }>(
      "SELECT provider_payment_id AS id FROM payments WHERE order_id = $1 AND NOT settles",
      [orderId],
    );
    const back = [first, second].find(({ id }) => id === surplus[0]?.id)!;
    await tell(razorpay.fake.webhook("refund.processed", back, razorpay.fake.refund(back)));
    expect(await shown()).to.deep.equal(["paid", 100, 0]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });
});

describe("a refund", () => {
  useService();
  const razorpay = useRazorpay();
  const { ordered, tell, verify } = razorpay;

  /** Creates a user with a paid order of coins, and a function that refunds it in full or in part. */
  async function paid(what: { coins?: number; price?: number } = {}) {
    const scene = await ordered(what);
    const payment = razorpay.fake.pay(scene.at);
    await tell(razorpay.fake.webhook("payment.captured", payment));
    const refund = (amount?: number): FakeWebhook =>
      razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment, amount));
    return { ...scene, payment, refund };
  }

  it("takes the coins back once for twenty concurrent calls", async () => {
    const { user, orderId, shown, refund } = await paid();
    const webhook = refund();
    // The same refund under the name of another event is still the same refund.
    const both = [webhook, razorpay.fake.signed(webhook.body)];
    await Promise.all(Array.from({ length: 20 }, (_, index) => untilServed(() => tell(both[index % 2]!))));
    expect(await shown()).to.deep.equal(["refunded", 0, 0]);
    const { items } = await listEntries(user.id, { page: 1, limit: 10 });
    expect(items.map(({ type, direction, amount }) => [type, direction, amount])).to.deep.equal([
      ["refund", "debit", 100],
      ["coin_purchase", "credit", 100],
    ]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("books spent coins as a debt to the house; coins that are given leave it unchanged", async () => {
    const { user, orderId, shown, refund } = await paid();
    await giveCoins(user, -70);
    await tell(refund());
    expect(await shown()).to.deep.equal(["refunded", 0, 70]);
    const [entry] = await query<{ amount: number }>(
      `SELECT e.amount FROM ledger_entries e JOIN ledger_movements m ON m.id = e.movement_id
       JOIN payment_refunds r ON r.id = m.reference_id JOIN payments p ON p.id = r.payment_id
       WHERE e.house = 'debt' AND p.order_id = $1`,
      [orderId],
    );
    expect(entry?.amount).to.equal(-70);
    await giveCoins(user, 50);
    expect(await shown()).to.deep.equal(["refunded", 50, 70]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("leaves a debt that the coins bought next pay first, in part or whole", async () => {
    const { user, orderId, shown, refund } = await paid();
    await giveCoins(user, -100);
    await tell(refund());
    const owed = await shown();

    const orders = [await ordered({ by: user, coins: 60 }), await ordered({ by: user, coins: 60 })];
    for (const { at } of orders) await tell(razorpay.fake.webhook("payment.captured", razorpay.fake.pay(at)));

    expect(owed).to.deep.equal(["refunded", 0, 100]);
    expect(await shown()).to.deep.equal(["refunded", 20, 0]);
    const { items } = await listEntries(user.id, { page: 1, limit: 4 });
    expect(items.map(({ type, direction, amount }) => `${type} ${direction} ${amount}`)).to.deep.equal([
      "refund debit 40",
      "coin_purchase credit 60",
      "refund debit 60",
      "coin_purchase credit 60",
    ]);
    expect(items[0]!.description).to.equal("Debt of refunded orders");
    expect(await differencesOf(user.id, orderId, ...orders.map((one) => one.orderId))).to.deep.equal([]);
  });

  it("is paid back once by orders that are settled at the same time", async () => {
    const { user, orderId, shown, refund } = await paid();
    await giveCoins(user, -100);
    await tell(refund());
    const orders = await Promise.all(Array.from({ length: 5 }, () => ordered({ by: user, coins: 60 })));

    const webhooks = orders.map(({ at }) => razorpay.fake.webhook("payment.captured", razorpay.fake.pay(at)));
    await Promise.all(webhooks.map((webhook) => untilServed(() => tell(webhook))));

    expect(await shown()).to.deep.equal(["refunded", 200, 0]);
    expect(await differencesOf(user.id, orderId, ...orders.map((one) => one.orderId))).to.deep.equal([]);
  });

  it("of coins that paid a debt brings the debt back", async () => {
    const { user, shown, refund } = await paid();
    await giveCoins(user, -100);
    await tell(refund());
    const again = await ordered({ by: user });
    const payment = razorpay.fake.pay(again.at);
    await tell(razorpay.fake.webhook("payment.captured", payment));
    const afterwards = await shown();

    await tell(razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment)));

    expect(afterwards).to.deep.equal(["refunded", 0, 0]);
    expect(await shown()).to.deep.equal(["refunded", 0, 100]);
    expect(await differencesOf(user.id, again.orderId)).to.deep.equal([]);
  });

  it("is all debt when everything was spent: the wallet stays at zero", async () => {
    const { user, orderId, shown, refund } = await paid();
    await giveCoins(user, -100);
    await tell(refund());
    expect(await shown()).to.deep.equal(["refunded", 0, 100]);
    expect(await listEntries(user.id, { page: 1, limit: 10, type: "refund" })).to.include({ total: 0 });
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("never takes a wallet below zero while its coins are being spent", async () => {
    const { user, orderId, shown, refund } = await paid();
    const webhook = refund();
    const spends = Array.from({ length: 10 }, () => outcomeOf(untilServed(() => giveCoins(user, -10))));
    await Promise.all([...spends, untilServed(() => tell(webhook))]);
    const spent = (await Promise.all(spends)).filter((outcome) => outcome === "ok").length * 10;
    expect(await shown()).to.deep.equal(["refunded", 0, spent]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("in parts takes each share, rounded down, and all coins with the last", async () => {
    const { user, orderId, shown, refund } = await paid({ coins: 100, price: 300 });
    await tell(refund(100));
    expect(await shown()).to.deep.equal(["paid", 67, 0]);
    await tell(refund(100));
    expect(await shown()).to.deep.equal(["paid", 34, 0]);
    await giveCoins(user, -34);
    await tell(refund(100));
    expect(await shown()).to.deep.equal(["refunded", 0, 34]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("may be reported before its payment", async () => {
    const { user, orderId, at, shown } = await ordered();
    const payment = razorpay.fake.pay(at);
    const captured = razorpay.fake.webhook("payment.captured", payment);
    await tell(razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment)));
    expect(await shown()).to.deep.equal(["refunded", 0, 0]);
    await tell(captured);
    expect(await verify(user, payment)).to.include({ status: "refunded" });
    expect(await shown()).to.deep.equal(["refunded", 0, 0]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });

  it("of money that was never captured changes nothing", async () => {
    const { at, shown } = await ordered();
    const payment = razorpay.fake.pay(at, { status: "authorized" });
    await tell(razorpay.fake.webhook("refund.processed", payment, razorpay.fake.refund(payment)));
    expect(await shown()).to.deep.equal(["created", 0, 0]);
  });

  it("belongs to one order: other events of its payment change nothing", async () => {
    const [mine, other] = [await paid(), await ordered()];
    const claimed = { ...mine.payment, order_id: other.at };
    await tell(razorpay.fake.webhook("payment.captured", claimed));
    await tell(razorpay.fake.webhook("refund.processed", claimed, razorpay.fake.refund(claimed)));
    expect(await other.shown()).to.deep.equal(["created", 0, 0]);
    expect(await mine.shown()).to.deep.equal(["paid", 100, 0]);
    expect(await differencesOf(mine.orderId, other.orderId)).to.deep.equal([]);
  });

  it("leaves an order refunded when another payment arrives", async () => {
    const { user, orderId, at, shown, refund } = await paid();
    await tell(refund());
    await tell(razorpay.fake.webhook("payment.captured", razorpay.fake.pay(at)));
    expect(await shown()).to.deep.equal(["refunded", 0, 0]);
    expect(await differencesOf(user.id, orderId)).to.deep.equal([]);
  });
});
