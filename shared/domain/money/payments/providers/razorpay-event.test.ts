import { expect } from "chai";
import { readRazorpayEvent } from "./razorpay-event.ts";

const payment = {
  id: "pay_1",
  entity: "payment",
  order_id: "order_1",
  amount: 100,
  currency: "INR",
  status: "captured",
  captured: true,
  email: "canary@example.com",
  contact: "+919999999999",
  card: { last4: "4242", name: "Canary" },
  notes: { comment: "canary" },
};
const refund = { id: "rfnd_1", entity: "refund", payment_id: "pay_1", amount: 40, notes: { comment: "canary" } };

const dispute = {
  ...{ id: "disp_1", entity: "dispute", payment_id: "pay_1", amount: 60, currency: "INR", amount_deducted: 0 },
  ...{ status: "open", phase: "chargeback", comments: "canary" },
};

const read = (event: unknown, payload: unknown) => readRazorpayEvent(Buffer.from(JSON.stringify({ event, payload })));
const effectOf = (event: unknown, payload: unknown) => read(event, payload).effect;
const withPayment = (changes: object = {}) => ({ payment: { entity: { ...payment, ...changes } } });

describe("a webhook of Razorpay", () => {
  const told = { id: "pay_1", orderId: "order_1", amount: 100, currency: "INR", captured: true };

  it("has the effect of its event", () => {
    for (const event of ["payment.captured", "order.paid"])
      expect(effectOf(event, withPayment())).to.deep.equal({ kind: "captured", payment: told });
    expect(effectOf("payment.authorized", withPayment({ status: "authorized", captured: false }))).to.deep.equal({
      kind: "reserved",
      providerOrderId: "order_1",
    });
    expect(effectOf("payment.failed", withPayment({ status: "failed", captured: false }))).to.deep.equal({
      kind: "failed",
      providerOrderId: "order_1",
    });
    expect(effectOf("refund.processed", { ...withPayment(), refund: { entity: refund } })).to.deep.equal({
      kind: "refunded",
      payment: told,
      refund: { id: "rfnd_1", amount: 40 },
    });
  });

  it("about a dispute takes what Razorpay took, and gives it back when that is won", () => {
    const taken = (as: string) => ({
      kind: "refunded",
      payment: told,
      refund: { id: "disp_1", amount: 60, dispute: as },
    });
    const given = { kind: "reversed", payment: told, refundId: "disp_1" };
    const nothing = { kind: "none", why: "ignored" };
    const cases: readonly [event: string, changes: object, effect: object][] = [
      ["created", {}, nothing],
      ["created", { amount_deducted: 60 }, taken("open")],
      ["action_required", {}, nothing],
      ["under_review", { status: "under_review", amount_deducted: 60 }, taken("open")],
      ["lost", { status: "lost", amount_deducted: 60 }, taken("lost")],
      ["lost", { status: "lost" }, taken("lost")],
      ["won", { status: "won" }, given],
      ["won", { status: "won", amount_deducted: 60 }, given],
      ["closed", { status: "closed" }, given],
      ["closed", { status: "closed", amount_deducted: 60 }, taken("lost")],
    ];
    for (const [event, changes, effect] of cases)
      expect(
        effectOf(`payment.dispute.${event}`, { ...withPayment(), dispute: { entity: { ...dispute, ...changes } } }),
        event + JSON.stringify(changes),
      ).to.deep.equal(effect);
  });

  it("has no effect when it is unknown, without an order, or about money that was never captured", () => {
    const ignored = { kind: "none", why: "ignored" };
    expect(effectOf("payment.downtime.started", withPayment())).to.deep.equal(ignored);
    expect(effectOf(undefined, undefined)).to.deep.equal(ignored);
    expect(effectOf("payment.captured", withPayment({ order_id: null }))).to.deep.equal(ignored);
    const returned = withPayment({ status: "refunded", captured: false });
    expect(effectOf("refund.processed", { ...returned, refund: { entity: refund } })).to.deep.equal(ignored);
    expect(effectOf("payment.captured", withPayment({ status: "authorized", captured: false }))).to.deep.equal(ignored);
  });

  it("is malformed when a field is missing or invalid", () => {
    const malformed = { kind: "none", why: "malformed" };
    for (const payload of [undefined, null, {}, [], { payment: {} }, { payment: { entity: null } }, "text"])
      expect(effectOf("payment.captured", payload), JSON.stringify(payload)).to.deep.equal(malformed);
    for (const change of [{ amount: "100" }, { amount: 1.5 }, { amount: -1 }, { id: "pay|1" }, { currency: null }])
      expect(effectOf("payment.captured", withPayment(change)), JSON.stringify(change)).to.deep.equal(malformed);
    for (const event of ["refund.processed", "payment.dispute.lost"])
      expect(effectOf(event, withPayment())).to.deep.equal(malformed);
  });

  it("is rejected when it is no JSON object", () => {
    for (const body of ["", "{", "null", "[]", '"text"', "\xff"])
      expect(() => readRazorpayEvent(Buffer.from(body)), body)
        .to.throw()
        .with.property("code", "MALFORMED_JSON");
  });

  it("is stored without personal data, and without what the database cannot store", () => {
    const { summary, type } = read("x\u0000\ud800y", {
      ...withPayment({ error_reason: "a\u0000b" }),
      refund: { entity: refund },
      dispute: { entity: dispute },
      "un\u0000known": { entity: { id: "x", name: "canary", nested: { id: "canary" } } },
      bare: "canary",
    });
    const kept = JSON.stringify(summary);
    expect(kept.toLowerCase()).to.not.match(/canary|4242|9999999999|\\u0000/);
    expect(summary).to.deep.include({ unknown: { id: "x" }, bare: {} });
    expect(summary).to.have.nested.property("payment.amount", 100);
    expect(type).to.equal("x\ufffdy");
  });

  it("is stored shortened", () => {
    const entity = { id: "x".repeat(50_000), status: "y".repeat(50_000) };
    const payload = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`e${index}`, { entity }]));
    expect(JSON.stringify(read("z".repeat(50_000), payload)).length).to.be.lessThan(5000);
  });
});
