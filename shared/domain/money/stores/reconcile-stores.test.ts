import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { configurePayments } from "#shared/domain/money/payments/payments.config.ts";
import type { ProviderHistory } from "#shared/domain/money/payments/providers/provider.ts";
import { reconcileDay } from "#shared/domain/money/reconciliation/reconcile-day.ts";
import { reconcileProviders } from "#shared/domain/money/reconciliation/reconcile-providers.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { configureApple, useApple } from "#shared/testing/fakes/apple-scene.ts";
import { FakeAppleApi } from "#shared/testing/fakes/fake-apple-api.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { differencesOf } from "#shared/testing/fakes/razorpay-scene.ts";
import { useSandbox } from "#shared/testing/fakes/sandbox-payments.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { buildPlan, buildProduct, walletBalance } from "#shared/testing/sales.ts";
import { appleHistory } from "./apple/apple-history.ts";
import { googleHistory } from "./google/google-history.ts";

const today = () => new Date(clock.now()).toISOString().slice(0, 10);
const statusesOf = async ({ id }: BuiltUser) =>
  (await query<{ status: string }>("SELECT status FROM payment_orders WHERE user_id = $1 ORDER BY id", [id])).map(
    ({ status }) => status,
  );
const ordersOf = async ({ id }: BuiltUser) =>
  (await query<{ id: string }>("SELECT id FROM payment_orders WHERE user_id = $1", [id])).map((one) => one.id);
/** Returns what is found about these, as `kind subject status`. */
const foundIn =
  (provider: string, history: ProviderHistory) =>
  async (...ids: string[]): Promise<string[]> =>
    (await reconcileDay(provider, history, today())).findings
      .filter(({ provider_id }) => ids.includes(provider_id))
      .map(({ kind, subject, status }) => `${kind} ${subject} ${status}`);

/** Leaves out what other tests have bought: the fake doesn't have it. */
async function forget(provider: string): Promise<void> {
  for (const table of ["payments", "payment_refunds"])
    await query(`UPDATE ${table} SET reconciled_at = now() WHERE provider = $1`, [provider]);
}

describe("the reconciliation with Apple", () => {
  const apple = useApple();
  const found = foundIn("apple", appleHistory);
  let api: FakeAppleApi;
  before(async () => {
    api = await FakeAppleApi.start(apple.fake);
    configureApple(apple.fake, api);
  });
  after(() => api.stop());
  beforeEach(() => forget("apple"));

  /** A user whose purchase was told, if `told`. */
  async function bought({ told = true, ...changes }: { told?: boolean; [name: string]: unknown } = {}) {
    const scene = await apple.bought(changes);
    const notice = await api.sell(scene.transaction, "ONE_TIME_CHARGE");
    if (told) await apple.tellSigned(notice);
    return { ...scene, id: scene.transaction.transactionId };
  }
  /** Apple returns the money, and says so if `told`. */
  async function returned(transaction: Parameters<FakeAppleApi["sell"]>[0], { told = true } = {}) {
    const revocationDate = clock.now() - 10_000;
    const notice = await api.sell({ ...transaction, revocationDate }, "REFUND");
    if (told) await apple.tellSigned(notice);
    return `${transaction.transactionId}_${revocationDate}`;
  }

  it("finds nothing where both agree, page by page", async () => {
    const many = await Promise.all([...Array(12)].map(() => bought()));
    const refund = await returned(many[0]!.transaction);
    for (const { transaction } of many.slice(1)) await api.sell(transaction, "CONSUMPTION_REQUEST");
    await api.sell(apple.fake.transaction("com.example.unsold"), "TEST", { data: { bundleId: "com.example.other" } });
    const ids = many.map(({ id }) => id);
    expect(await found(...ids, refund)).to.deep.equal([]);
    const confirmed = await query(
      "SELECT 1 FROM payments WHERE provider = 'apple' AND provider_payment_id = ANY($1) AND reconciled_at IS NOT NULL",
      [ids],
    );
    expect(confirmed).to.have.length(12);
  });

  it("settles purchases, periods, and refunds whose notices were lost", async () => {
    const [lost, refunded] = [await bought({ told: false }), await bought()];
    const refund = await returned(refunded.transaction, { told: false });
    const subscriber = await buildUser();
    const plan = await buildPlan();
    const periodOf = (days: number, original?: string) =>
      apple.fake.transaction(productId, {
        appAccountToken: subscriber.id,
        type: "Auto-Renewable Subscription",
        purchaseDate: clock.now() + daysMs(days - 30),
        expiresDate: clock.now() + daysMs(days),
        ...(original && { originalTransactionId: original }),
      });
    const productId = await buildProduct({ vip_plan_id: plan.id });
    const first = periodOf(0.1);
    await apple.tellSigned(await api.sell(first, "SUBSCRIBED"));
    const second = periodOf(30.1, first.transactionId);
    await api.sell(second, "DID_RENEW");

    const ids = [lost.id, refund, second.transactionId];
    expect(await found(...ids)).to.have.members([
      "missing_here payment settled",
      "missing_here payment settled",
      "missing_here refund settled",
    ]);
    expect(await found(...ids)).to.deep.equal([]);
    expect([await walletBalance(lost.user.id), await walletBalance(refunded.user.id)]).to.deep.equal([600, 0]);
    expect(await statusesOf(subscriber)).to.deep.equal(["paid", "paid"]);
    for (const user of [lost.user, refunded.user, subscriber])
      expect(await differencesOf(user.id, ...(await ordersOf(user)))).to.deep.equal([]);
  });

  it("finds other amounts and states, what Apple doesn't have, and what isn't for sale here", async () => {
    const [amount, state, gone] = [await bought(), await bought(), await bought()];
    const refund = await returned(state.transaction);
    // What Apple has no notice of is asked for.
    api.notices.length = 0;
    api.transactions.set(state.id, state.transaction);
    api.transactions.delete(gone.id);
    await api.sell({ ...amount.transaction, price: 19_990 }, "ONE_TIME_CHARGE");
    const never = apple.fake.transaction("com.example.unsold");
    await api.sell(never, "ONE_TIME_CHARGE");

    expect(await found(amount.id, refund, gone.id, never.transactionId)).to.have.members([
      "amount payment open",
      "state refund open",
      "missing_there payment open",
      "missing_here payment open",
    ]);
  });

  it("fails while Apple is away, and for want of a key", async () => {
    await bought();
    api.isAway = true;
    expect(await outcomeOf(found())).to.equal("ENGINE_UNAVAILABLE");
    api.isAway = false;
    apple.configure();
    expect(await outcomeOf(found())).to.equal("ENGINE_UNAVAILABLE");
    configureApple(apple.fake, api);
  });

  it("is part of the reconciliation of all", async () => {
    configurePayments({ histories: { apple: appleHistory } });
    const reports: string[] = [];
    await reconcileProviders(today(), (provider) => reports.push(provider));
    useSandbox();
    expect(reports).to.deep.equal(["apple"]);
  });
});

describe("the reconciliation with Google Play", () => {
  const play = useGooglePlay();
  const found = foundIn("google", googleHistory);
  beforeEach(() => forget("google"));

  async function bought(coins = 100) {
    const [user, productId] = await Promise.all([buildUser(), play.coinProduct(coins)]);
    const token = play.fake.buy({ productId, account: user.id });
    await play.present(user, productId, token);
    const order = [...play.fake.orders.values()].find(({ purchaseToken }) => purchaseToken === token)!;
    return { user, token, order, id: order.orderId };
  }
  async function subscribed() {
    const [user, { productId }] = await Promise.all([buildUser(), play.vipProduct()]);
    const token = play.fake.subscribe({ productId, account: user.id });
    await play.present(user, productId, token);
    return { user, token };
  }

  it("finds nothing where both agree", async () => {
    const [kept, refunded, { user, token }] = [await bought(), await bought(), await subscribed()];
    const productId = await play.coinProduct();
    await play.present(user, productId, play.fake.buy({ productId, account: user.id, promotion: true }));
    play.fake.refund(refunded.id, { part: { currencyCode: "INR", units: "33" } });
    await play.look(refunded.token, refunded.id);
    play.fake.refund(refunded.id);
    await play.look(refunded.token, refunded.id);

    const { findings, entries } = await reconcileDay("google", googleHistory, today());
    expect(findings.filter(({ order_id }) => order_id !== null)).to.deep.equal([]);
    expect(entries).to.be.at.least(2);
    const left = await query<{ id: string }>(
      "SELECT provider_payment_id AS id FROM payments WHERE provider = 'google' AND reconciled_at IS NULL",
    );
    expect(left).to.deep.equal([]);
    expect(await statusesOf(kept.user)).to.deep.equal(["paid"]);
    expect(token).to.be.a("string");
  });

  it("settles refunds, parts of them, and renewals whose notices were lost", async () => {
    const [whole, part, { user, token }] = [await bought(), await bought(), await subscribed()];
    play.fake.refund(whole.id);
    play.fake.refund(part.id, { part: { currencyCode: "INR", units: "49", nanos: 500_000_000 } });
    await query("UPDATE subscriptions SET current_period_ends_at = now() - interval '1 minute' WHERE user_id = $1", [
      user.id,
    ]);
    const renewal = play.fake.renew(token, new Date(clock.now() + daysMs(30)).toISOString());

    const ids = [`${whole.id}.refund`, `${part.id}.part0`, renewal.orderId];
    expect(await found(...ids)).to.have.members([
      "missing_here refund settled",
      "missing_here refund settled",
      "missing_here payment settled",
    ]);
    expect(await found(...ids)).to.deep.equal([]);
    expect([await play.coinsOf(whole.user), await play.coinsOf(part.user)]).to.deep.equal([0, 50]);
    expect(await statusesOf(user)).to.deep.equal(["paid", "paid"]);
    for (const one of [whole.user, part.user, user])
      expect(await differencesOf(one.id, ...(await ordersOf(one)))).to.deep.equal([]);
  });

  it("finds other amounts and states, and what Google doesn't have", async () => {
    const [amount, state, gone, refunded] = [await bought(), await bought(), await bought(), await bought()];
    Object.assign(amount.order, { total: { currencyCode: "INR", units: "98" } });
    state.order.state = "PENDING";
    play.fake.orders.delete(gone.id);
    play.fake.refund(refunded.id);
    await play.look(refunded.token, refunded.id);
    Object.assign(refunded.order, { state: "PROCESSED", orderHistory: {} });
    expect(await found(amount.id, state.id, gone.id, `${refunded.id}.refund`)).to.have.members([
      "amount payment open",
      "state payment open",
      "missing_there payment open",
      "missing_there refund open",
    ]);
  });

  it("fails while Google is away", async () => {
    await bought();
    play.fake.trouble("fail", 9);
    expect(await outcomeOf(found())).to.equal("ENGINE_UNAVAILABLE");
    play.fake.trouble("fail", 0);
  });
});
