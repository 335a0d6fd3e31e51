import { expect } from "chai";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { newId } from "#shared/kernel/ids.ts";
import { FakeRazorpay } from "#shared/testing/fakes/fake-razorpay.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { until } from "#shared/testing/until.ts";
import type { OpenOrder, PaymentProvider } from "./provider.ts";
import { makeRazorpay } from "./razorpay.ts";

describe("Razorpay", () => {
  let fake: FakeRazorpay;
  let razorpay: PaymentProvider;
  /** For calls that are not answered. */
  let hasty: PaymentProvider;

  beforeEach(async () => {
    fake = await FakeRazorpay.start();
    razorpay = makeRazorpay(fake.credentials, 15_000);
    hasty = makeRazorpay(fake.credentials, 200);
  });
  afterEach(() => fake.stop());

  const draft = () => ({
    id: newId(),
    amount: 9_900,
    currency: "INR",
    title: "Pouch: 600 coins",
    expiresAt: exampleTime(exampleIds.coinOrder),
  });
  async function openOrder(): Promise<OpenOrder> {
    const order = draft();
    return { ...order, ...(await razorpay.openOrder(order, false)) };
  }

  it("opens an order by one call, and returns what the checkout needs, without a secret", async () => {
    const order = await openOrder();
    expect(fake.calls).to.deep.equal([{ method: "POST", path: "/v1/orders" }]);
    expect(fake.orders.get(order.providerOrderId)).to.include({ amount: 9_900, currency: "INR", receipt: order.id });
    const payload = razorpay.payloadOf(order);
    expect(payload).to.deep.equal({
      provider: "razorpay",
      order_id: order.providerOrderId,
      amount: 9_900,
      currency: "INR",
      description: order.title,
      key: fake.keyId,
    });
    expect(JSON.stringify(payload)).to.not.include(fake.keySecret);
  });

  it("finds an order whose response was lost, and opens no second one", async () => {
    const order = draft();
    fake.trouble("lose the answer");
    expect(await outcomeOf(hasty.openOrder(order, false))).to.equal("ENGINE_UNAVAILABLE");
    await until("the order is made", () => fake.orders.size === 1);
    const found = await razorpay.openOrder(order, true);
    expect([...fake.orders.keys()]).to.deep.equal([found.providerOrderId]);
    fake.orders.clear();
    await razorpay.openOrder(order, true);
    expect(fake.orders.size).to.equal(1);
  });

  it("names its limits, and refuses what is beyond them without being unreachable", async () => {
    const refused: [currency: string, amount: number][] = [
      ["INR", 99],
      ["KWD", 99_991],
    ];
    for (const [currency, amount] of refused) {
      const { min, step } = razorpay.limitsIn(currency);
      expect(amount < min || amount % step !== 0, currency).to.equal(true);
      expect(await outcomeOf(razorpay.openOrder({ ...draft(), currency, amount }, false))).to.equal(
        "ORDER_NOT_PAYABLE",
      );
      const least = { ...draft(), currency, amount: Math.max(min, Math.ceil(amount / step) * step) };
      expect((await razorpay.openOrder(least, false)).providerOrderId).to.match(/^order_/);
    }
  });

  it("refunds once for each key, and refuses another amount under it", async () => {
    const { id } = fake.pay((await openOrder()).providerOrderId);
    const first = await razorpay.refundPayment(id, { key: "once", amount: 400, currency: "INR" });
    expect(await razorpay.refundPayment(id, { key: "once", amount: 400, currency: "INR" })).to.deep.equal(first);
    expect(fake.refunds).to.have.length(1);
    const [made] = fake.refunds;
    made!.receipt = null;
    expect(await razorpay.refundPayment(id, { key: "once", amount: 500, currency: "INR" })).to.include({
      status: "rejected",
    });
  });

  it("finds a refund among more than ten after the key is forgotten", async () => {
    const { id } = fake.pay((await openOrder()).providerOrderId);
    for (let part = 0; part < 11; part += 1)
      await razorpay.refundPayment(id, { key: `part-${part}`, amount: 900, currency: "INR" });
    fake.forgetKeys();
    expect(await razorpay.refundPayment(id, { key: "part-10", amount: 900, currency: "INR" })).to.include({
      status: "processed",
    });
    expect(fake.refunds).to.have.length(11);
  });

  for (const trouble of ["fail", "hang", "garble"] as const)
    it(`is unreachable when calls ${trouble}, within its timeout`, async () => {
      const order = await openOrder();
      const payment = fake.pay(order.providerOrderId);
      const client = trouble === "hang" ? hasty : razorpay;
      for (const call of [
        () => client.openOrder(draft(), false),
        () => client.capturePayment(payment.id, order),
        () => client.capturePaymentsOf(order),
      ]) {
        fake.trouble(trouble);
        expect(await outcomeOf(call())).to.equal("ENGINE_UNAVAILABLE");
      }
      fake.trouble(trouble, 0);
      expect(await razorpay.capturePayment(payment.id, order)).to.include({ id: payment.id, captured: true });
    });

  it("is unreachable with a wrong secret, and where no server listens", async () => {
    const wrong = makeRazorpay({ ...fake.credentials, keySecrets: ["another"] });
    expect(await outcomeOf(wrong.openOrder(draft(), false))).to.equal("ENGINE_UNAVAILABLE");
    const nowhere = makeRazorpay({ ...fake.credentials, baseUrl: "http://127.0.0.1:1" });
    expect(await outcomeOf(nowhere.openOrder(draft(), false))).to.equal("ENGINE_UNAVAILABLE");
  });

  it("is never called over plain http on another machine", () => {
    for (const baseUrl of [
      "http://api.razorpay.com",
      "http://127.0.0.1.evil.example",
      "http://localhost.example",
      "ftp://x",
    ])
      expect(() => makeRazorpay({ ...fake.credentials, baseUrl }), baseUrl).to.throw("https");
    for (const baseUrl of ["https://api.razorpay.com", "http://127.9.9.9:1", "http://[::1]:1", "http://localhost:1"])
      expect(() => makeRazorpay({ ...fake.credentials, baseUrl }), baseUrl).to.not.throw();
  });

  it("reports a payment as it is, and none for an unknown id", async () => {
    const order = await openOrder();
    const paid = fake.pay(order.providerOrderId);
    const failed = fake.pay(order.providerOrderId, { status: "failed" });
    const returned = fake.pay(order.providerOrderId, { status: "refunded", captured: false });
    fake.refund(paid);
    const told = { orderId: order.providerOrderId, amount: 9_900, currency: "INR" };
    expect(await razorpay.capturePayment(paid.id, order)).to.deep.equal({ id: paid.id, ...told, captured: true });
    expect(await razorpay.capturePayment(failed.id, order)).to.deep.equal({ id: failed.id, ...told, captured: false });
    expect(await razorpay.capturePayment(returned.id, order)).to.include({ captured: false });
    expect(await razorpay.capturePayment("pay_unknown", order)).to.equal(undefined);
    const all = await razorpay.capturePaymentsOf(order);
    expect(all.map(({ id }) => id)).to.have.members([paid.id, failed.id, returned.id]);
  });

  it("captures reserved money that matches the order", async () => {
    const order = await openOrder();
    const reserved = fake.pay(order.providerOrderId, { status: "authorized" });
    const less = fake.pay(order.providerOrderId, { status: "authorized", amount: 100 });
    expect(await razorpay.capturePayment(reserved.id, order)).to.include({ captured: true });
    expect(reserved.status).to.equal("captured");
    expect(await razorpay.capturePayment(less.id, order)).to.include({ captured: false, amount: 100 });
    expect(less.status).to.equal("authorized");
  });

  it("asks again when the money was captured in between", async () => {
    const order = await openOrder();
    const reserved = fake.pay(order.providerOrderId, { status: "authorized" });
    const asked = razorpay.capturePayment(reserved.id, order);
    // Between the first look and the capture: the account takes it by itself.
    const capture = fake.calls.length;
    Object.defineProperty(reserved, "status", {
      get: () => (fake.calls.length > capture + 1 ? "captured" : "authorized"),
      enumerable: true,
    });
    reserved.captured = true;
    expect(await asked).to.include({ id: reserved.id, captured: true });
  });

  it("accepts signatures by each of two secrets", () => {
    const rotating = makeRazorpay({
      ...fake.credentials,
      keySecrets: ["new key", fake.keySecret],
      webhookSecrets: ["new hook", fake.webhookSecret],
    });
    const payment = fake.pay("order_1");
    const { razorpay_signature } = fake.proof(payment);
    expect(rotating.hasSigned!("order_1", payment.id, razorpay_signature)).to.equal(true);
    expect(rotating.hasSigned!("order_2", payment.id, razorpay_signature)).to.equal(false);
    const { body, headers } = fake.webhook("payment.captured", payment);
    const event = rotating.parseWebhook(Buffer.from(body), headers);
    expect(event).to.include({ id: headers["x-razorpay-event-id"], type: "payment.captured" });
    for (const parse of [
      () => rotating.parseWebhook(Buffer.from(`${body} `), headers),
      () => rotating.parseWebhook(Buffer.from(body), {}),
    ])
      expect(parse).to.throw().with.property("code", "PAYMENT_SIGNATURE_INVALID");
  });
});
