import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { checkLedger } from "#shared/domain/money/ledger/check-ledger.ts";
import { orderCoins } from "#shared/domain/money/payments/create-order.ts";
import { expireOrders } from "#shared/domain/money/payments/expire-orders.ts";
import { listCoinPackages } from "#shared/domain/money/payments/payments.queries.ts";
import { receiveWebhook } from "#shared/domain/money/payments/receive-webhook.ts";
import { recordPurchase } from "#shared/domain/money/purchases/record-purchase.ts";
import type { VerifiedPurchase } from "#shared/domain/money/purchases/verified-purchase.ts";
import { clock } from "#shared/kernel/clock.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { act } from "#shared/testing/pay.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { buildOffer, buildPackage, buildProduct, walletBalance } from "#shared/testing/sales.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

const purchaseOf = (given: Pick<VerifiedPurchase, "item" | "transactionId" | "price">): VerifiedPurchase => ({
  ...{ provider: "apple", environment: "sandbox", originalTransactionId: given.transactionId, userId: null },
  ...{ quantity: 1, purchasedAt: "2026-11-25T00:00:00.000Z", receipt: given.transactionId },
  ...given,
});

describe("offers", () => {
  useService();

  async function scene(terms: Parameters<typeof buildOffer>[0] = {}) {
    const pack = await buildPackage({ coins: 550, bonus_coins: 50, price: 49_900 });
    const offer = await buildOffer({ bonus_percent: 20, ...terms, package_ids: [pack.id] });
    const order = async (user: BuiltUser, offerId?: string) =>
      (await orderCoins(callerOf(user), pack.id, undefined, offerId)).order;
    const shown = async (user: BuiltUser) => (await listCoinPackages(user.id)).find(({ id }) => id === pack.id)?.offer;
    const used = async () => (await query<{ used: number }>("SELECT used FROM offers WHERE id = $1", [offer]))[0]!.used;
    return { pack, offer, order, shown, used };
  }
  type Ordered = { readonly id: string; readonly provider_order_id: string | null };
  const webhook = async (at: string, action: "pay" | "refund") => {
    const { body, headers } = await act(at, action);
    await receiveWebhook("sandbox", Buffer.from(body), headers);
  };
  const pay = ({ provider_order_id }: Ordered) => webhook(provider_order_id!, "pay");
  const refund = ({ provider_order_id }: Ordered) => webhook(provider_order_id!, "refund");
  const expire = async ({ id }: Ordered) => {
    await query("UPDATE payment_orders SET expires_at = now() WHERE id = $1", [id]);
    while ((await expireOrders()) > 0);
  };
  const differences = async (user: BuiltUser, ...orders: readonly Ordered[]) =>
    (await checkLedger()).filter((one) => [user, ...orders].some(({ id }) => one.includes(id)));

  it("are shown with the package, kept with the order, credited with it, and taken back by a refund", async () => {
    const { offer, order, shown } = await scene({ discount_percent: 10 });
    const user = await buildUser();
    expect(await shown(user)).to.deep.include({ id: offer, bonus_coins: 120, price: 44_910 });
    const ordered = await order(user, offer);
    expect(ordered).to.deep.include({ amount: 44_910, coins: 720 });
    expect(ordered.offer).to.deep.equal({ id: offer, bonus_coins: 120, discount: 4_990 });
    await query("UPDATE offers SET bonus_percent = 500, retired_at = now() WHERE id = $1", [offer]);
    await pay(ordered);
    expect(await walletBalance(user.id)).to.equal(720);
    await refund(ordered);
    expect(await walletBalance(user.id)).to.equal(0);
    expect(await differences(user, ordered)).to.deep.equal([]);
  });

  it("are compared by coins for the money, and the one that was shown must still be there", async () => {
    const { pack, offer, order, shown } = await scene({ bonus_percent: 10 });
    const better = await buildOffer({ discount_percent: 20, package_ids: [pack.id] });
    const user = await buildUser();
    expect(await shown(user)).to.include({ id: better });
    expect((await order(user, offer)).offer).to.include({ id: offer });
    await query("UPDATE offers SET ends_at = now() - interval '1 second' WHERE id = $1", [better]);
    expect(await outcomeOf(order(user, better))).to.equal("CONFLICT");
    expect((await order(await buildUser())).offer).to.include({ id: offer });
  });

  it("count once for the first purchase, in 500 concurrent orders", async () => {
    const { offer, order, shown } = await scene({ kind: "first_purchase", person_limit: null });
    const user = await buildUser();
    const orders = (await Promise.all(Array.from({ length: 500 }, () => order(user).catch(() => undefined)))).filter(
      (one) => one !== undefined,
    );
    expect(orders.length).to.be.within(1, 10);
    expect(orders.filter((one) => one.offer?.id === offer)).to.have.length(1);
    for (const one of orders) await pay(one);
    expect(await walletBalance(user.id)).to.equal(600 * orders.length + 120);
    expect(await shown(user)).to.equal(undefined);
  });

  it("aren't multiplied by orders that expire and are paid afterwards", async () => {
    const { order, shown, used } = await scene({ kind: "first_purchase", discount_percent: 50 });
    const user = await buildUser();
    const first = await order(user);
    await expire(first);
    expect(await used()).to.equal(0);
    expect(await shown(user)).to.include({ bonus_coins: 120 });
    const second = await order(user);
    await expire(second);
    const third = await order(user);
    for (const one of [third, first, second]) await pay(one);
    // 720 with the offer; for half of the price, half of the package without it.
    expect(await walletBalance(user.id)).to.equal(720 + 300 + 300);
    expect(await used()).to.equal(1);
    expect(await differences(user, first, second, third)).to.deep.equal([]);
  });

  it("are kept by an order that is paid late, while they are free", async () => {
    const { order, used } = await scene({ total_limit: 1 });
    const [user, other] = await Promise.all([buildUser(), buildUser()]);
    const ordered = await order(user);
    await expire(ordered);
    await pay(ordered);
    expect([await walletBalance(user.id), await used()]).to.deep.equal([720, 1]);
    expect((await order(other)).offer).to.equal(null);
  });

  it("sell no more than their limits at once: in all, and to a user", async () => {
    const { order, used } = await scene({ total_limit: 5, person_limit: 2 });
    const users = await Promise.all(Array.from({ length: 4 }, () => buildUser()));
    const orders = await Promise.all(users.flatMap((user) => [order(user), order(user), order(user)]));
    const given = orders.map((one) => one.offer !== null);
    expect(given.filter(Boolean)).to.have.length(5);
    for (const index of users.keys())
      expect(given.slice(index * 3, index * 3 + 3).filter(Boolean).length).to.be.at.most(2);
    expect(await used()).to.equal(5);
  });

  it("are for their countries, users, new accounts, and time only", async () => {
    const [indian, german, old] = await Promise.all([buildUser(), buildUser(), buildUser()]);
    await query("UPDATE users SET country = CASE id WHEN $1 THEN 'IN' ELSE 'DE' END WHERE id = ANY ($2)", [
      indian.id,
      [indian.id, german.id, old.id],
    ]);
    await query("UPDATE users SET created_at = now() - interval '8 days' WHERE id = $1", [old.id]);
    const whom = async (terms: Parameters<typeof buildOffer>[0]) => {
      const { shown } = await scene(terms);
      const found = await Promise.all([indian, german, old].map(shown));
      return found.map(Boolean);
    };
    expect(await whom({ countries: ["IN"] })).to.deep.equal([true, false, false]);
    expect(await whom({ user_ids: [german.id] })).to.deep.equal([false, true, false]);
    expect(await whom({ new_user_days: 7 })).to.deep.equal([true, true, false]);
    expect(await whom({ starts_at: "2099-01-01T00:00:00Z" })).to.deep.equal([false, false, false]);
    expect(await whom({ ends_at: "2020-01-01T00:00:00Z" })).to.deep.equal([false, false, false]);
  });

  it("never sell below the lowest price of a coin, also if it rises after they were made", async () => {
    const { offer, order, shown } = await scene();
    const user = await buildUser();
    try {
      rememberSettings({ lowest_coin_prices: ["INR:69.3055"] });
      expect(await shown(user)).to.include({ id: offer });
      rememberSettings({ lowest_coin_prices: ["INR:69.3056"] });
      expect(await shown(user)).to.equal(undefined);
      expect((await order(user)).offer).to.equal(null);
      expect(await outcomeOf(order(user, offer))).to.equal("CONFLICT");
    } finally {
      rememberSettings({ lowest_coin_prices: [] });
    }
  });

  it("add their coins to purchases in stores, at the store's price, and are counted there too", async () => {
    const { pack, offer, order } = await scene({ kind: "first_purchase", discount_percent: 30 });
    const [user, productId] = await Promise.all([buildUser(), buildProduct({ coin_package_id: pack.id })]);
    const bought = (transactionId: string) =>
      inTransaction((tx) =>
        recordPurchase(
          tx,
          purchaseOf({ item: { productId }, transactionId, price: { amount: 45_000, currency: "INR" } }),
          user.id,
        ),
      );
    const outcomes = await Promise.all(["a", "b", "c"].map((one) => bought(`${pack.id}-${one}`)));
    expect(outcomes.map(({ outcome }) => outcome)).to.deep.equal(["paid", "paid", "paid"]);
    expect(await walletBalance(user.id)).to.equal(3 * 600 + 120);
    const orders = await query("SELECT 1 FROM payment_orders WHERE offer_id = $1 AND amount = 45000", [offer]);
    expect(orders).to.have.length(1);
    expect((await order(user)).offer).to.equal(null);
    expect(await differences(user)).to.deep.equal([]);
  });

  describe("of happy hours", () => {
    const { forward } = useClock();

    it("hold at their hours in their zone, past midnight too", async () => {
      const hours = { days: [5], from: "22:00", to: "02:00", zone: "Asia/Kolkata" };
      const { shown } = await scene({ kind: "happy_hours", hours });
      const user = await buildUser();
      // Friday, 2026-11-27, 22:00 in India is 16:30 UTC.
      const at = async (time: string) => {
        forward(Date.parse(time) - clock.now());
        return Boolean(await shown(user));
      };
      expect(await at("2026-11-27T16:29:00Z")).to.equal(false);
      expect(await at("2026-11-27T16:30:00Z")).to.equal(true);
      expect(await at("2026-11-27T20:29:00Z")).to.equal(true);
      expect(await at("2026-11-27T20:30:00Z")).to.equal(false);
      expect(await at("2026-11-26T18:00:00Z")).to.equal(false);
    });
  });
});
