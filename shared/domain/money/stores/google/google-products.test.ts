import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { accessOrder } from "#shared/domain/money/payments/payments.policy.ts";
import { minutesMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useGooglePlay } from "#shared/testing/fakes/google-play-scene.ts";
import { differencesOf, giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { lookAtProduct } from "./look-at-product.ts";
import { lookAtVoided, pollVoided } from "./look-at-voided.ts";

describe("Coins bought at Google Play", () => {
  useService();
  const events = usePublishedEvents();
  const play = useGooglePlay();
  let productId: string;
  let user: BuiltUser;
  before(async () => {
    productId = await play.coinProduct(100);
  });
  beforeEach(async () => {
    user = await buildUser();
  });

  const buy = (more: Partial<Parameters<typeof play.fake.buy>[0]> = {}) =>
    play.fake.buy({ productId, account: user.id, ...more });
  const orderAt = (token: string) => play.fake.products.get(token)!.shown.orderId!;
  const look = async (token: string) => (await lookAtProduct(token)).outcome;
  const isConsumed = (token: string) =>
    until("Google was told", () => play.fake.products.get(token)!.isConsumed, 15_000);

  it("are credited once with what Google says was paid, and consumed, so that they can be bought again", async () => {
    const total = { currencyCode: "USD", units: "1", nanos: 990_000_000 };
    const token = buy({ total });
    const order = await play.present(user, productId, token);
    expect(order).to.include({
      kind: "coins",
      status: "paid",
      amount: 199,
      currency: "USD",
      coins: 100,
      provider: "google",
    });
    expect(order.provider_order_id).to.equal(orderAt(token));
    expect(await play.present(user, productId, token)).to.deep.equal(order);
    await isConsumed(token);
    await until("it is recorded", () =>
      queryOne("SELECT 1 FROM store_purchases WHERE transaction_id = $1 AND state = 'acknowledged'", [orderAt(token)]),
    );
    await play.present(user, productId, buy());
    expect(await play.coinsOf(user)).to.equal(200);
    expect(await differencesOf(user.id)).to.deep.equal([]);
  });

  it("cost what the tier of their country says if Google doesn't say what was paid, else our own price", async () => {
    const [sold, { id }] = [[] as string[], await buildPackage({ coins: 100, price: 9_900 })];
    const prices = [
      { country: "US", amount: 199, currency: "USD" },
      { country: "JP", amount: 300, currency: "JPY" },
    ];
    const tiered = await buildProduct({ coin_package_id: id }, { store: "google", prices });
    for (const regionCode of ["US", "JP", "FR", undefined, "US"]) {
      const token = buy({ productId: tiered, more: { regionCode } });
      if (sold.length < 4) Reflect.deleteProperty(play.fake.orders.get(orderAt(token))!, "total");
      const { amount, currency } = await play.present(user, tiered, token);
      sold.push(`${amount} ${currency}`);
    }
    expect(sold).to.deep.equal(["199 USD", "300 JPY", "9900 INR", "9900 INR", "9900 INR"]);
    expect(await play.coinsOf(user)).to.equal(500);
  });

  it("are credited by a notice although the app never came back, and once beside it", async () => {
    const token = buy();
    expect(await look(token)).to.equal("paid");
    const both = [...Array.from({ length: 5 }, () => look(token)), play.present(user, productId, token)];
    await Promise.all(both);
    expect(await play.coinsOf(user)).to.equal(100);
  });

  it("count for the number that was bought, and nothing for a promotion", async () => {
    const three = await play.present(user, productId, buy({ quantity: 3 }));
    const free = await play.present(user, productId, buy({ promotion: true }));
    expect([three.coins, free.coins, free.amount]).to.deep.equal([300, 100, 0]);
    expect(await play.coinsOf(user)).to.equal(400);
  });

  it("wait while the payment is pending, and are credited by the notice of it", async () => {
    const token = buy({ pending: true });
    const order = await play.present(user, productId, token);
    expect(order).to.include({ status: "created", provider: "google" });
    expect(await play.present(user, productId, token)).to.deep.equal(order);
    expect([await look(token), await play.coinsOf(user)]).to.deep.equal(["pending", 0]);
    play.fake.complete(token);
    expect(await look(token)).to.equal("paid");
    expect((await accessOrder(callerOf(user), order.id)).status).to.equal("paid");
    await isConsumed(token);

    const never = buy({ pending: true });
    await play.present(user, productId, never);
    play.fake.products.get(never)!.end("CANCELLED");
    await look(never);
    expect((await play.present(user, productId, never)).status).to.equal("failed");
    expect(await play.coinsOf(user)).to.equal(100);
  });

  it("belong to the first who presents them if the app named no one", async () => {
    const token = buy({ account: undefined });
    expect(await look(token)).to.equal("unclaimed");
    expect(play.fake.products.get(token)!.isConsumed).to.equal(false);
    expect((await play.present(user, productId, token)).status).to.equal("paid");
    expect(await outcomeOf(play.present(await buildUser(), productId, token))).to.equal("CONFLICT");
    await isConsumed(token);
  });

  it("are taken back when they are refunded or charged back, whatever says so and however often", async () => {
    const [spent, disputed, partly] = [buy(), buy(), buy({ total: { currencyCode: "INR", units: "100" } })];
    for (const token of [spent, disputed, partly]) await play.present(user, productId, token);
    await giveCoins(user, -250);
    play.fake.refund(orderAt(spent));
    expect(await look(spent)).to.equal("refunded");
    expect(await look(spent)).to.equal("seen");
    play.fake.refund(orderAt(disputed), { reason: 7 });
    for (let times = 0; times < 3; times += 1) await lookAtVoided(disputed, orderAt(disputed));
    for (const what of ["opened", "lost"] as const)
      expect(await events.of(`dispute.${what}`, { user_id: user.id }), what).to.have.length(1);
    play.fake.refund(orderAt(partly), { part: { currencyCode: "INR", units: "25" } });
    await lookAtVoided(partly, orderAt(partly));
    await lookAtVoided(partly, orderAt(partly));
    expect(await play.coinsOf(user)).to.equal(300 - 250 - 100 - 100 - 25);
    play.fake.refund(orderAt(partly));
    await lookAtVoided(partly, orderAt(partly));
    expect(await play.coinsOf(user)).to.equal(-250);
    const states = await query("SELECT state FROM store_purchases WHERE user_id = $1 ORDER BY state", [user.id]);
    expect(states.map(({ state }) => state)).to.deep.equal(["disputed", "refunded", "refunded"]);
    expect(await differencesOf(user.id)).to.deep.equal([]);
  });

  it("that were refunded before we heard of them are credited to no one", async () => {
    const token = buy({ account: undefined });
    play.fake.refund(orderAt(token));
    expect(await outcomeOf(lookAtVoided(token, orderAt(token)))).to.equal("ok");
    expect(await outcomeOf(play.present(user, productId, token))).to.equal("ORDER_NOT_PAYABLE");
    expect(await lookAtVoided("unknown", "GPA.0000-0000-0000-00000")).to.include({ outcome: "unknown_purchase" });
    expect(await play.coinsOf(user)).to.equal(0);
  });

  it("are taken back by the daily list when all notices were lost, from where the last run ended", async () => {
    play.fake.pageSize = 1;
    await pollVoided();
    const tokens = [buy(), buy()];
    for (const token of tokens) await play.present(user, productId, token);
    for (const token of tokens) play.fake.refund(orderAt(token), { reason: 7 });
    play.fake.trouble("fail", 3);
    expect(await outcomeOf(pollVoided())).to.equal("ENGINE_UNAVAILABLE");
    play.fake.trouble("fail", 0);
    await pollVoided();
    expect(await play.coinsOf(user)).to.equal(0);
    const calls = play.fake.calls.length;
    await pollVoided();
    expect(play.fake.calls.slice(calls).every(({ path }) => path.startsWith("/purchases/voidedpurchases"))).to.equal(
      true,
    );
    const reached = await queryOne<{ at: string }>("SELECT voided_until AS at FROM store_positions");
    expect(Date.parse(reached!.at)).to.be.closeTo(Date.now(), minutesMs(1));
  });

  it("are credited once when responses are lost, and consumed in the end", async () => {
    const token = buy();
    play.fake.trouble("lose the answer", 1);
    expect(await play.unanswered(() => outcomeOf(play.present(user, productId, token)))).to.equal("ENGINE_UNAVAILABLE");
    for (const trouble of ["fail", "garble", "forbid"] as const) {
      play.fake.trouble(trouble);
      expect(await outcomeOf(play.present(user, productId, token)), trouble).to.equal("ENGINE_UNAVAILABLE");
    }
    expect(await play.coinsOf(user)).to.equal(0);
    await play.present(user, productId, token);
    await isConsumed(token);
    const second = buy();
    play.fake.trouble("garble", 1, ":consume");
    await play.present(user, productId, second);
    await isConsumed(second);
    await until("it is recorded", () =>
      queryOne("SELECT 1 FROM store_purchases WHERE transaction_id = $1 AND state = 'acknowledged'", [orderAt(second)]),
    );
    expect(await play.coinsOf(user)).to.equal(200);
  });

  it("are refused for another product, another app, another account, and by a license tester in production", async () => {
    const other = await play.coinProduct(100_000);
    const thief = await buildUser();
    const refused: [string, () => Promise<unknown>, string][] = [
      ["another product", () => play.present(user, other, buy()), "PAYMENT_SIGNATURE_INVALID"],
      ["a product that isn't sold", () => play.present(user, "unsold", buy({ productId: "unsold" })), "NOT_FOUND"],
      ["a license tester", () => play.present(user, productId, buy({ test: true })), "PAYMENT_SIGNATURE_INVALID"],
      ["another's account", () => play.present(thief, productId, buy()), "CONFLICT"],
      ["an account of another form", () => play.present(user, productId, buy({ account: "ada" })), "CONFLICT"],
      [
        "several products",
        () => play.present(user, productId, buy({ more: { productLineItem: [{ productId }, { productId }] } })),
        "PAYMENT_SIGNATURE_INVALID",
      ],
      ["an unknown token", () => play.present(user, productId, newId()), "PAYMENT_SIGNATURE_INVALID"],
    ];
    for (const [what, call, code] of refused) expect(await outcomeOf(call()), what).to.equal(code);
    expect([await play.coinsOf(user), await play.coinsOf(thief)]).to.deep.equal([0, 0]);

    play.configure({ production: false });
    expect((await play.present(user, productId, buy({ test: true }))).status).to.equal("paid");
    expect(await outcomeOf(play.present(user, productId, buy()))).to.equal("PAYMENT_SIGNATURE_INVALID");
  });
});
