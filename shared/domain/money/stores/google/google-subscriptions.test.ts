import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { listSubscriptions } from "#shared/domain/money/subscriptions/subscriptions.queries.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { cancelAtGoogle } from "./cancel-subscription.ts";
import { lookAtSubscription } from "./look-at-subscription.ts";
import { lookAtVoided } from "./look-at-voided.ts";

describe("VIP subscribed to at Google Play", () => {
  useService();
  const play = useGooglePlay();
  let productId: string;
  let planId: string;
  let user: BuiltUser;
  before(async () => {
    ({ productId, planId } = await play.vipProduct());
  });
  beforeEach(async () => {
    user = await buildUser();
  });

  const inDays = (days: number) => new Date(Date.now() + daysMs(days)).toISOString();
  const subscribe = (more: Partial<Parameters<typeof play.fake.subscribe>[0]> = {}) =>
    play.fake.subscribe({ productId, account: user.id, ...more });
  const look = async (token: string) => (await lookAtSubscription(token)).outcome;
  const become = (token: string, state: string, to?: { until: string }) =>
    play.fake.subscriptions.get(token)!.become(state, to);
  const orderAt = (token: string) => play.fake.subscriptions.get(token)!.shown.lineItems[0]!.latestSuccessfulOrderId!;
  const periods = () =>
    query<{ order_id: string; ends_at: string }>(
      "SELECT order_id, ends_at FROM vip_periods WHERE user_id = $1 ORDER BY ends_at",
      [user.id],
    );
  const acknowledged = (token: string) =>
    play.fake.subscriptions.get(token)!.shown.acknowledgementState === "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED";
  const hasVip = (plan = planId) => until("VIP is there", async () => (await play.vipOf(user)).includes(plan), 15_000);
  const hasNone = () => until("VIP is gone", async () => (await play.vipOf(user)).length === 0, 15_000);
  const shown = async () => (await listSubscriptions(user.id)).map(({ status, auto_renew }) => [status, auto_renew]);

  it("begins with what the app presents or a notice says, lasts as Google says, and is acknowledged", async () => {
    const token = subscribe({ total: { currencyCode: "INR", units: "299" }, until: inDays(30) });
    const order = await play.present(user, productId, token);
    expect(order).to.include({ kind: "vip", status: "paid", amount: 29_900, currency: "INR", plan_id: planId });
    expect(await look(token)).to.equal("seen");
    await hasVip();
    expect(Date.parse((await periods())[0]!.ends_at)).to.be.closeTo(Date.now() + daysMs(30), 60_000);
    expect(await shown()).to.deep.equal([["active", true]]);
    await until("Google was told", () => acknowledged(token), 15_000);
    expect(await differencesOf(user.id, order.id)).to.deep.equal([]);
  });

  it("renews by one order for each period, and a late notice changes nothing", async () => {
    const token = subscribe({ until: inDays(1) });
    expect(await look(token)).to.equal("paid");
    play.fake.renew(token, inDays(31));
    expect(await Promise.all([look(token), look(token), look(token)])).to.include("paid");
    play.fake.renew(token, inDays(61));
    await look(token);
    await until("all periods have begun", async () => (await periods()).length === 3, 15_000);
    expect(Date.parse((await periods())[2]!.ends_at)).to.be.closeTo(Date.now() + daysMs(61), 60_000);
    const orders = await query("SELECT status FROM payment_orders WHERE user_id = $1", [user.id]);
    expect(orders).to.deep.equal(Array(3).fill({ status: "paid" }));
    expect(await shown()).to.deep.equal([["active", true]]);
  });

  it("goes through grace, hold, recovery, pause, cancellation, and expiry", async () => {
    const token = subscribe({ until: inDays(2) });
    await look(token);
    await hasVip();
    become(token, "IN_GRACE_PERIOD", { until: inDays(9) });
    await look(token);
    expect(await shown()).to.deep.equal([["grace", true]]);
    expect(Date.parse((await periods())[0]!.ends_at)).to.be.closeTo(Date.now() + daysMs(9), 60_000);
    become(token, "ON_HOLD", { until: new Date(Date.now() - 1000).toISOString() });
    await look(token);
    await hasNone();
    expect(await shown()).to.deep.equal([["retry", true]]);
    play.fake.renew(token, inDays(30));
    await look(token);
    await hasVip();
    become(token, "PAUSED", { until: new Date(Date.now() - 1000).toISOString() });
    await look(token);
    await hasNone();
    expect(await shown()).to.deep.equal([["paused", true]]);
    play.fake.renew(token, inDays(60));
    await look(token);
    become(token, "CANCELED", { until: inDays(60) });
    await look(token);
    await hasVip();
    expect(await shown()).to.deep.equal([["canceled", false]]);
    become(token, "EXPIRED", { until: new Date(Date.now() - 1000).toISOString() });
    await look(token);
    await hasNone();
    expect(await shown()).to.deep.equal([["expired", false]]);
  });

  it("lasts longer when its renewal is deferred", async () => {
    const token = subscribe({ until: inDays(2) });
    await look(token);
    await hasVip();
    become(token, "ACTIVE", { until: inDays(20) });
    expect(await look(token)).to.equal("seen");
    expect(Date.parse((await periods())[0]!.ends_at)).to.be.closeTo(Date.now() + daysMs(20), 60_000);
  });

  it("waits while its first payment is pending", async () => {
    const token = subscribe({ pending: true });
    expect(await outcomeOf(play.present(user, productId, token))).to.equal("ORDER_NOT_PAYABLE");
    expect([await look(token), await shown()]).to.deep.equal(["pending", []]);
    play.fake.renew(token, inDays(30));
    expect(await look(token)).to.equal("paid");
    await hasVip();
  });

  it("is upgraded by a new token: the old one ends, and with it its VIP", async () => {
    const gold = await play.vipProduct();
    const old = subscribe({ until: inDays(30) });
    await look(old);
    await hasVip();
    const upgraded = subscribe({ productId: gold.productId, replaces: old, account: undefined });
    expect(await look(upgraded)).to.equal("paid");
    await hasVip(gold.planId);
    await until("only gold is left", async () => (await play.vipOf(user)).length === 1, 15_000);
    become(old, "EXPIRED", { until: new Date(Date.now() - 1000).toISOString() });
    await look(old);
    expect((await listSubscriptions(user.id)).map(({ status }) => status)).to.have.members(["active", "expired"]);
    expect(await play.vipOf(user)).to.deep.equal([gold.planId]);
  });

  it("goes on with what was paid when a change is deferred", async () => {
    const gold = await play.vipProduct();
    const old = subscribe({ until: inDays(30) });
    await look(old);
    await hasVip();
    const order = orderAt(old);
    const lineItems = [
      {
        productId,
        expiryTime: inDays(30),
        latestSuccessfulOrderId: order,
        autoRenewingPlan: { autoRenewEnabled: false },
      },
      { productId: gold.productId, autoRenewingPlan: { autoRenewEnabled: true } },
    ];
    const changed = subscribe({ productId: gold.productId, replaces: old, more: { lineItems } });
    expect(await look(changed)).to.equal("seen");
    expect(await play.vipOf(user)).to.deep.equal([planId]);
    const now = (await listSubscriptions(user.id)).find(({ status }) => status === "active")!;
    expect([now.plan_id, now.pending_plan_id]).to.deep.equal([planId, gold.planId]);
  });

  it("asks for consent to a higher price", async () => {
    const token = subscribe();
    const line = play.fake.subscriptions.get(token)!.shown.lineItems[0]!;
    for (const [state, consent] of [
      ["OUTSTANDING", "pending"],
      ["CONFIRMED", "agreed"],
      ["APPLIED", null],
    ]) {
      Object.assign(line.autoRenewingPlan, { priceChangeDetails: { priceChangeState: state } });
      await look(token);
      expect((await listSubscriptions(user.id))[0]!.price_consent).to.equal(consent);
    }
  });

  it("ends when the last period is refunded, and goes on when an earlier one is", async () => {
    const token = subscribe({ until: inDays(1) });
    await look(token);
    const first = orderAt(token);
    play.fake.renew(token, inDays(31));
    await look(token);
    await until("both have begun", async () => (await periods()).length === 2, 15_000);
    play.fake.refund(first);
    expect((await lookAtVoided(token, first)).outcome).to.equal("refunded");
    expect(await play.vipOf(user)).to.deep.equal([planId]);
    play.fake.refund(orderAt(token), { reason: 7 });
    become(token, "EXPIRED", { until: new Date(Date.now() - 1000).toISOString() });
    await lookAtVoided(token, orderAt(token));
    await hasNone();
    const states = await query("SELECT state FROM store_purchases WHERE user_id = $1 ORDER BY state", [user.id]);
    expect(states).to.deep.equal([{ state: "disputed" }, { state: "refunded" }]);
  });

  it("is canceled at Google, once or again, and says so", async () => {
    const token = subscribe();
    await look(token);
    await cancelAtGoogle(token);
    await cancelAtGoogle(token);
    expect(play.fake.subscriptions.get(token)!.shown.subscriptionState).to.equal("SUBSCRIPTION_STATE_CANCELED");
    expect(await shown()).to.deep.equal([["canceled", false]]);
    await hasVip();
  });

  it("is of the account that it names, of this environment, and of a plan that is sold", async () => {
    const thief = await buildUser();
    const coins = await play.coinProduct();
    const refused: [string, () => Promise<unknown>, string][] = [
      ["another's", () => play.present(thief, productId, subscribe()), "CONFLICT"],
      [
        "a license tester's",
        () => play.present(user, productId, subscribe({ test: true })),
        "PAYMENT_SIGNATURE_INVALID",
      ],
      ["another product's", () => play.present(user, coins, subscribe()), "PAYMENT_SIGNATURE_INVALID"],
      ["of coins", () => play.present(user, coins, subscribe({ productId: coins })), "NOT_FOUND"],
    ];
    for (const [what, call, code] of refused) expect(await outcomeOf(call()), what).to.equal(code);
    const unclaimed = subscribe({ account: undefined });
    expect(await look(unclaimed)).to.equal("unclaimed");
    expect(await queryOne("SELECT 1 FROM subscriptions WHERE provider_subscription_id = $1", [unclaimed])).to.equal(
      undefined,
    );
    expect((await play.present(user, productId, unclaimed)).status).to.equal("paid");
    expect(await outcomeOf(play.present(thief, productId, unclaimed))).to.equal("CONFLICT");
    expect(await play.vipOf(thief)).to.deep.equal([]);
  });

  it("is read as Google's documents show it", async () => {
    const documented = (state: string, more: object = {}, line: object = {}) => ({
      kind: "androidpublisher#subscriptionPurchaseV2",
      startTime: "2022-04-22T18:39:58.270Z",
      regionCode: "US",
      subscriptionState: `SUBSCRIPTION_STATE_${state}`,
      latestOrderId: play.fake.orders.keys().next().value,
      acknowledgementState: "ACKNOWLEDGEMENT_STATE_ACKNOWLEDGED",
      lineItems: [{ productId, expiryTime: inDays(30), autoRenewingPlan: { autoRenewEnabled: true }, ...line }],
      ...more,
    });
    const token = subscribe();
    const { shown: record } = play.fake.subscriptions.get(token)!;
    const show = (content: object) => {
      for (const key of Object.keys(record)) delete (record as Record<string, unknown>)[key];
      Object.assign(record, content, {
        latestOrderId: [...play.fake.orders.values()].find((one) => one.purchaseToken === token)!.orderId,
        externalAccountIdentifiers: { obfuscatedExternalAccountId: user.id },
      });
    };
    show(
      documented(
        "ACTIVE",
        { acknowledgementState: "ACKNOWLEDGEMENT_STATE_PENDING" },
        { offerPhase: { freeTrial: {} } },
      ),
    );
    expect(await look(token)).to.equal("paid");
    await until("Google was told", () => acknowledged(token), 15_000);
    show(documented("ACTIVE", {}, { offerPhase: { basePrice: {} } }));
    expect(await look(token)).to.equal("seen");
    show(
      documented(
        "ACTIVE",
        {},
        {
          autoRenewingPlan: {
            autoRenewEnabled: true,
            recurringPrice: { currencyCode: "USD", units: "1", nanos: 990_000_000 },
            installmentDetails: {
              initialCommittedPaymentsCount: 6,
              remainingCommittedPaymentsCount: 5,
              pendingCancellation: {},
            },
          },
        },
      ),
    );
    expect(await look(token)).to.equal("seen");
    expect(await shown()).to.deep.equal([["active", true]]);
  });
});
