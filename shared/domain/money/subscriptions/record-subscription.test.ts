import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { findUserCard } from "#shared/domain/identity/users/user-cards.queries.ts";
import { deliveredOrder } from "#shared/domain/money/purchases/delivered-order.ts";
import { markAcknowledged, recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import { refundPurchase, reverseRefunds } from "#shared/domain/money/purchases/refund-purchase.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { beginPaidVip, endRefundedVip, restorePaidVip } from "#shared/domain/money/store/vip-periods.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { recordEvents } from "#shared/testing/record-events.ts";
import { buildPlan, buildProduct } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { recordSubscription, type SubscriptionChange } from "./record-subscription.ts";
import { listSubscriptions } from "./subscriptions.queries.ts";

const inDays = (days: number) => new Date(Date.now() + daysMs(days)).toISOString();

describe("a subscription", () => {
  useService();
  let serial = 0;

  async function scene() {
    serial += 1;
    const id = `sub_${process.pid}_${serial}`;
    const [user, plan] = await Promise.all([buildUser(), buildPlan()]);
    const productId = await buildProduct({ vip_plan_id: plan.id });
    let period = 0;
    /** What the provider reports of a period from one day to another. */
    const told = (from: number, to: number, change: Partial<SubscriptionChange> = {}): SubscriptionChange => ({
      provider: "apple",
      subscriptionId: id,
      userId: user.id,
      item: { productId },
      at: inDays(from),
      status: "active",
      autoRenew: true,
      period: { startsAt: inDays(from), endsAt: inDays(to) },
      ...change,
    });
    const paidFor = ({ period: paid, userId, item }: SubscriptionChange): VerifiedPurchase => {
      period += 1;
      return {
        provider: "apple",
        environment: "sandbox",
        transactionId: `${id}_${period}`,
        originalTransactionId: id,
        userId,
        item,
        quantity: 1,
        price: { amount: 29_900, currency: "INR" },
        purchasedAt: paid.startsAt,
        period: paid,
        receipt: `${id} ${period}`,
      };
    };
    const record = async (change: SubscriptionChange, paid?: VerifiedPurchase, claimant: string | null = null) => {
      const recorded = await inTransaction((tx) => recordSubscription(tx, change, claimant, paid));
      if (recorded.outcome === "paid")
        await recordEvents(beginPaidVip, { order_id: recorded.orderId!, user_id: user.id, kind: "vip" });
      return recorded;
    };
    const renew = async (from: number, to: number, change: Partial<SubscriptionChange> = {}) => {
      const reported = told(from, to, change);
      const paid = paidFor(reported);
      return { ...(await record(reported, paid)), paid };
    };
    return { user, plan, productId, told, paidFor, record, renew };
  }

  const vipOf = async ({ id }: BuiltUser) => (await findUserCard(id)).vip;
  const endOf = async (user: BuiltUser) => Date.parse((await vipOf(user))?.expires_at ?? "1970-01-01");
  const statusOf = async ({ id }: BuiltUser) => (await listSubscriptions(id))[0]!.status;
  const near = async (user: BuiltUser, days: number) =>
    expect(await endOf(user)).to.be.closeTo(Date.now() + daysMs(days), 60_000);

  it("is one order for each period, and VIP until the end of the latest", async () => {
    const { user, plan, renew, record, told } = await scene();
    const first = await renew(-29, 1);
    const second = await renew(1, 31);
    await record(told(1, 31), second.paid);

    const orders = await query("SELECT kind, status, plan_id, provider FROM payment_orders WHERE user_id = $1", [
      user.id,
    ]);
    const order = { kind: "vip", status: "paid", plan_id: plan.id, provider: "apple" };
    expect(orders).to.deep.equal([order, order]);
    await near(user, 31);
    expect((await listSubscriptions(user.id))[0]).to.include({ status: "active", plan_id: plan.id, auto_renew: true });
    expect(await differencesOf(user.id, first.orderId!, second.orderId!)).to.deep.equal([]);
  });

  it("ignores what is reported later but older, save its payment", async () => {
    const { user, renew, told, record } = await scene();
    const older = told(-29, 1);
    await renew(1, 31, { status: "canceled", autoRenew: false });
    const late = await record(older, undefined);
    expect([late.stale, await statusOf(user)]).to.deep.equal([true, "canceled"]);
    await renew(-29, 1);
    expect(await statusOf(user)).to.equal("canceled");
    expect(await query("SELECT 1 FROM payment_orders WHERE user_id = $1", [user.id])).to.have.length(2);
  });

  it("keeps VIP in grace, which ends it even if no one reports that", async () => {
    const { user, renew, record, told } = await scene();
    await renew(-30, -1);
    expect(await vipOf(user)).to.equal(null);
    const grace = { at: inDays(0), status: "grace", graceUntil: inDays(5) } as const;
    await record(told(-30, -1, grace));
    await near(user, 5);
    await query("UPDATE vip_periods SET ends_at = now() WHERE user_id = $1", [user.id]);
    expect(await vipOf(user)).to.equal(null);
  });

  it("begins with the grace that was reported before its period was recorded", async () => {
    const { user, told, paidFor, record } = await scene();
    const change = told(-30, -1, { at: inDays(0), status: "grace", graceUntil: inDays(5) });
    await record(change, paidFor(change));
    await near(user, 5);
  });

  it("ends the period of the old plan when an upgrade begins", async () => {
    const { user, renew } = await scene();
    await renew(-10, 20);
    const gold = await buildPlan();
    const item = { productId: await buildProduct({ vip_plan_id: gold.id }) };
    await renew(0, 30, { item });
    expect((await vipOf(user))?.plan_id).to.equal(gold.id);
    const old = await queryOne<{ ends_at: string }>(
      "SELECT ends_at FROM vip_periods WHERE user_id = $1 AND plan_id <> $2",
      [user.id, gold.id],
    );
    expect(Date.parse(old!.ends_at)).to.be.closeTo(Date.now(), 60_000);
  });

  it("loses the period that is refunded, and gets it back when the refund is reversed", async () => {
    const { user, renew } = await scene();
    const { orderId, paid } = await renew(-1, 29);
    const event = { order_id: orderId!, user_id: user.id, kind: "vip" } as const;
    const { provider, transactionId } = paid;
    await inTransaction((tx) =>
      refundPurchase(tx, { provider, transactionId, refundId: `r_${transactionId}`, at: inDays(0) }),
    );
    await recordEvents(endRefundedVip, event);
    expect(await vipOf(user)).to.equal(null);
    await inTransaction((tx) => reverseRefunds(tx, provider, transactionId, inDays(1)));
    await recordEvents(restorePaidVip, event);
    await near(user, 29);
    // Its first recording may have failed.
    await recordEvents(endRefundedVip, event);
    await near(user, 29);
    expect(await differencesOf(user.id, orderId!)).to.deep.equal([]);
  });

  it("is refused to others, and belongs to the first who presents it if it names no one", async () => {
    const { user, told, paidFor, record } = await scene();
    const thief = await buildUser();
    const named = told(-1, 29);
    expect(await outcomeOf(record(named, paidFor(named), thief.id))).to.equal("CONFLICT");

    const { told: tellOther, paidFor: paidOther, record: recordOther } = await scene();
    const unnamed = tellOther(-1, 29, { userId: null });
    const paid = paidOther(unnamed);
    expect((await recordOther(unnamed, paid)).outcome).to.equal("unclaimed");
    expect((await recordOther(unnamed, paid, user.id)).outcome).to.equal("paid");
    expect(await outcomeOf(recordOther(unnamed, paid, thief.id))).to.equal("CONFLICT");
    expect(await listSubscriptions(thief.id)).to.deep.equal([]);
  });

  it("says what keeps a purchase from being delivered", async () => {
    const { user, told, paidFor } = await scene();
    const present = (purchase: VerifiedPurchase) =>
      inTransaction(async (tx) => deliveredOrder(await recordPurchase(tx, purchase, user.id)));
    const purchase = paidFor(told(-1, 29));
    expect(await outcomeOf(present({ ...purchase, item: { productId: "unknown" } }))).to.equal("NOT_FOUND");
    const orderId = await present({ ...purchase, pending: true });
    expect(await queryOne("SELECT status FROM payment_orders WHERE id = $1", [orderId])).to.deep.equal({
      status: "created",
    });
    expect(await present(purchase)).to.equal(orderId);
    await inTransaction((tx) => markAcknowledged(tx, "apple", purchase.transactionId));
    expect(await queryOne("SELECT state, order_id FROM store_purchases WHERE order_id = $1", [orderId])).to.deep.equal({
      state: "acknowledged",
      order_id: orderId,
    });
  });
});
