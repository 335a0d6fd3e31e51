import { expect } from "chai";
import fc from "fast-check";
import { service } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { rememberSettings, settingDefault } from "#shared/domain/base/settings/settings.ts";
import { getEarnings, listEarnings } from "#shared/domain/money/earnings/earnings.queries.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { payShareDebts } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { transferGift } from "#shared/domain/money/gifts/transfer-gift.ts";
import { findDifferences } from "#shared/domain/money/ledger/check-ledger.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { listEntries } from "#shared/domain/money/ledger/ledger.queries.ts";
import { loadSplitPlans } from "#shared/domain/money/splits/split-plans.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildSplitPlan, buyCoins } from "#shared/testing/earnings.ts";
import { type BuiltUser, buildGift, buildRoom, buildUser } from "#shared/testing/factories.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { firstOf } from "./follow-coins.ts";
import { getWallet } from "./payments.queries.ts";
import { refundPayment } from "./refund-payment.ts";
import { reverseRefund } from "./reverse-refund.ts";

interface Steps {
  readonly kind: "buy" | "grant" | "exchange" | "refund" | "give";
  readonly who: number;
  readonly amount: number;
  readonly to?: number;
  readonly coin?: boolean;
}

/** What users have less what they owe: coins, bought ones, and earnings with those that they exchanged. */
const net = (of: readonly BuiltUser[]) =>
  query<{ coins: number; bought: number; earned: number }>(
    `SELECT w.balance - ${debtOf("w.user_id")} AS coins, w.bought,
       coalesce((SELECT balance FROM wallets e WHERE e.user_id = w.user_id AND asset = 'earnings'), 0)
         + coalesce((SELECT sum(earnings) FROM earnings_exchanges x WHERE x.user_id = w.user_id), 0)::bigint
         - ${debtOf("w.user_id", "'earnings'")} AS earned
     FROM unnest($1::uuid[]) WITH ORDINALITY AS u (id, place) JOIN wallets w ON w.user_id = u.id AND w.asset = 'coins'
     ORDER BY place`,
    [of.map(({ id }) => id)],
  );

describe("the first coins of a gift", () => {
  it("are split in proportion, add up, and are never fewer for more coins", () => {
    const parts = fc.array(fc.nat(60), { minLength: 1, maxLength: 5 }).filter((some) => some.some((part) => part > 0));
    fc.assert(
      fc.property(parts, (some) => {
        const whole = some.reduce((sum, part) => sum + part);
        let last = some.map(() => 0);
        for (let coins = 0; coins <= whole; coins += 1) {
          const first = firstOf(coins, some);
          expect(first.reduce((sum, one) => sum + one)).to.equal(coins);
          for (const [index, one] of first.entries()) {
            expect(one).to.be.at.least(last[index]!);
            expect(one).to.be.closeTo((some[index]! * coins) / whole, some.length);
          }
          last = first;
        }
        expect(last).to.deep.equal(some);
      }),
    );
  });

  it("are exact for the largest amounts", () => {
    expect(firstOf(4_500_000_000_000_000, [4_500_000_000_000_001, 4_499_999_999_999_999])).to.deep.equal([
      2_250_000_000_000_001, 2_249_999_999_999_999,
    ]);
  });
});

describe("a refund of coins that were given", () => {
  useDatabase();
  const [earning, coining] = [{ id: "" }, { id: "" }];
  let people: BuiltUser[];
  let [buyer, friend, host, owner]: BuiltUser[] = [];
  let roomId: string;

  before(async () => {
    earning.id = (await buildGift({ price: 1 })).id;
    coining.id = (await buildGift({ price: 1 })).id;
    const shares = [
      { to: "receiver", basis_points: 5000, asset: "earnings" },
      { to: "owner", basis_points: 1000, asset: "earnings" },
      { to: "house", basis_points: 4000 },
    ] as const;
    await buildSplitPlan(shares, { gift_ids: [earning.id] });
  });
  after(async () => {
    await query("UPDATE split_plans SET retired_at = now()");
    await loadSplitPlans();
    rememberSettings({
      refund_clawback: settingDefault("refund_clawback"),
      earnings_maturing_days: settingDefault("earnings_maturing_days"),
    });
  });
  beforeEach(async () => {
    rememberSettings({ refund_clawback: "shares", earnings_maturing_days: 0 });
    people = await Promise.all([buildUser(), buildUser(), buildUser(), buildUser()]);
    [buyer, friend, host, owner] = people;
    roomId = (await buildRoom({ host: owner! })).id;
  });
  /** Other test files of this database plant some. */
  let planted: string[] = [];
  before(async () => {
    planted = await findDifferences();
  });
  afterEach(async () => {
    const found = (await findDifferences()).filter((text) => !planted.includes(text));
    expect(
      found.filter((text) => people.some(({ id }) => text.includes(id)) || /efund|whole/.test(text)),
    ).to.deep.equal([]);
  });

  const give = (from: BuiltUser, to: BuiltUser, quantity: number, gift = earning) =>
    transferGift(callerOf(from), { room_id: roomId, gift_id: gift.id, recipient_id: to.id, quantity });
  const grant = (user: BuiltUser, coins: number) =>
    inTransaction((tx) => grantCoins(tx, { by: service, kind: "adjustment", userId: user.id, coins, reason: "Here" }));
  async function refund(payment: Awaited<ReturnType<typeof buyCoins>>, amount = payment.amount): Promise<string> {
    const id = newId();
    await inTransaction((tx) => refundPayment(tx, "sandbox", payment, { id, amount }));
    return id;
  }
  const win = (refundId: string) => inTransaction((tx) => reverseRefund(tx, "sandbox", refundId));
  /** `coins (bought) owes, earnings owes` of each. */
  const shown = (...of: (BuiltUser | undefined)[]) =>
    Promise.all(
      of.map(async (user) => {
        const { balance, debt } = await getWallet(user!.id);
        const [wallet] = await query("SELECT bought FROM wallets WHERE user_id = $1 AND asset = 'coins'", [user!.id]);
        const earned = await getEarnings(user!.id);
        return [balance, wallet!.bought, debt, earned.balance, earned.debt].join(" ");
      }),
    );

  it("stays with the house and the buyer if the settings say so", async () => {
    rememberSettings({ refund_clawback: "house" });
    const payment = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 100);
    await refund(payment);
    expect(await shown(buyer, host, owner)).to.deep.equal(["0 0 100 0 0", "0 0 0 50 0", "0 0 0 10 0"]);
  });

  it("takes back the shares, and leaves the house's part as the buyer's debt", async () => {
    const payment = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 60);
    await refund(payment);
    expect(await shown(buyer, host, owner)).to.deep.equal(["0 0 24 0 0", "0 0 0 0 0", "0 0 0 0 0"]);
    const { items } = await listEarnings(host!.id, { page: 1, limit: 10 });
    expect(
      items.map(({ type, direction, amount, description }) => [type, direction, amount, description]),
    ).to.deep.equal([
      ["gift_refund", "debit", 30, "Debt of refunded gifts"],
      ["gift_received", "credit", 30, items[1]!.description],
    ]);
  });

  it("leaves nothing to an account that has exchanged what it earned of them", async () => {
    const payment = await buyCoins(buyer!.id, 900);
    await give(buyer!, host!, 900);
    await exchangeEarnings(callerOf(host!), 450);
    await refund(payment);
    expect(await shown(host)).to.deep.equal(["450 0 0 0 450"]);
    expect((await getEarnings(host!.id)).available).to.equal(0);

    // The earnings that come next pay the debt, before they are exchanged.
    await buyCoins(friend!.id, 1200);
    await give(friend!, host!, 400);
    expect(await getEarnings(host!.id)).to.include({ balance: 200, debt: 450, available: 0 });
    await payShareDebts();
    await payShareDebts();
    expect(await shown(host)).to.deep.equal(["450 0 0 0 250"]);
    await give(friend!, host!, 800);
    await exchangeEarnings(callerOf(host!), 100);
    expect(await shown(host)).to.deep.equal(["550 0 0 50 0"]);
  });

  it("follows coins through accounts that gave them on, and takes from each what they still hold", async () => {
    const payment = await buyCoins(buyer!.id, 900);
    await give(buyer!, friend!, 900, coining);
    expect(await shown(friend)).to.deep.equal(["450 450 0 0 0"]);
    await give(friend!, host!, 400);
    await refund(payment);
    // The house's half of the first gift is the buyer's debt, its part of the second the friend's.
    expect(await shown(buyer, friend, host, owner)).to.deep.equal([
      "0 0 450 0 0",
      "0 0 160 0 0",
      "0 0 0 0 0",
      "0 0 0 0 0",
    ]);
  });

  it("ends where two accounts have given the coins to each other", async () => {
    const payment = await buyCoins(buyer!.id, 800);
    await give(buyer!, friend!, 800, coining);
    await give(friend!, buyer!, 400, coining);
    await give(buyer!, friend!, 200, coining);
    await give(friend!, host!, 100);
    await refund(payment);
    expect(await shown(buyer, friend, host)).to.deep.equal(["0 0 500 0 0", "0 0 240 0 0", "0 0 0 0 0"]);
  });

  it("takes earnings back also if the buyer was granted coins in the meantime", async () => {
    const payment = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 100);
    await grant(buyer!, 100);
    await refund(payment);
    expect(await shown(buyer, host)).to.deep.equal(["60 0 0 0 0", "0 0 0 0 0"]);
  });

  it("takes them back from the gifts of this purchase, not of another", async () => {
    await buyCoins(buyer!.id, 100);
    const second = await buyCoins(buyer!.id, 100);
    await give(buyer!, friend!, 100);
    await give(buyer!, host!, 100);
    await refund(second);
    expect(await shown(buyer, friend, host)).to.deep.equal(["0 0 40 0 0", "0 0 0 50 0", "0 0 0 0 0"]);
  });

  it("takes them back from gifts whose coins an earlier refund took elsewhere", async () => {
    const first = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 100);
    const second = await buyCoins(buyer!.id, 100);
    await refund(first);
    expect(await shown(buyer, host)).to.deep.equal(["0 0 0 0 0", "0 0 0 50 0"]);
    await refund(second);
    expect(await shown(buyer, host)).to.deep.equal(["0 0 40 0 0", "0 0 0 0 0"]);
  });

  it("adds up to the shares over partial refunds, each rounded", async () => {
    const payment = await buyCoins(buyer!.id, 101);
    await give(buyer!, host!, 101);
    const [before] = await shown(host);
    for (const amount of [33, 1, 30, 37]) await refund(payment, amount);
    expect([before, ...(await shown(buyer, host, owner))]).to.deep.equal([
      "0 0 0 51 0",
      "0 0 40 0 0",
      "0 0 0 0 0",
      "0 0 0 0 0",
    ]);
  });

  it("is given back to all when it is reversed, as far as debts aren't cancelled by it", async () => {
    const payment = await buyCoins(buyer!.id, 1000);
    await give(buyer!, friend!, 500, coining);
    await give(buyer!, host!, 500);
    await exchangeEarnings(callerOf(host!), 100);
    const before = await shown(buyer, friend, host, owner);
    const id = await refund(payment);
    expect(await shown(buyer, friend, host, owner)).to.deep.equal([
      "0 0 450 0 0",
      "0 0 0 0 0",
      "100 0 0 0 100",
      "0 0 0 0 0",
    ]);
    expect([await win(id), await win(id)]).to.deep.equal(["reversed", "seen"]);
    expect(await shown(buyer, friend, host, owner)).to.deep.equal(before);
    // And can be taken back again.
    await refund(payment);
    expect(await shown(host)).to.deep.equal(["100 0 0 0 100"]);
  });

  it("is paid by exchanged earnings before these can be spent, also what the buyer owes", async () => {
    rememberSettings({ refund_clawback: "house" });
    const payment = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 100);
    await buyCoins(friend!.id, 300);
    await give(friend!, buyer!, 300);
    const id = await refund(payment);
    expect(await shown(buyer)).to.deep.equal(["0 0 100 150 0"]);
    await exchangeEarnings(callerOf(buyer!), 60);
    expect(await shown(buyer)).to.deep.equal(["0 0 40 90 0"]);
    const { items } = await listEntries(buyer!.id, { page: 1, limit: 2 });
    expect(items.map(({ type, amount, description }) => [type, amount, description])).to.deep.equal([
      ["debt_payment", 60, "Debt of coins"],
      ["earnings_exchange", 60, "Exchange"],
    ]);
    await exchangeEarnings(callerOf(buyer!), 90);
    expect(await shown(buyer)).to.deep.equal(["50 0 0 0 0"]);
    await win(id);
    expect(await shown(buyer)).to.deep.equal(["150 0 0 0 0"]);
  });

  it("gives back what was paid of a debt meanwhile", async () => {
    const payment = await buyCoins(buyer!.id, 100);
    await give(buyer!, host!, 100);
    await exchangeEarnings(callerOf(host!), 50);
    const id = await refund(payment);
    await buyCoins(friend!.id, 60);
    await give(friend!, host!, 60);
    await payShareDebts();
    expect(await shown(host)).to.deep.equal(["50 0 0 0 20"]);
    await win(id);
    expect(await shown(host)).to.deep.equal(["50 0 0 30 0"]);
  });

  it("leaves no earnings of coins that were all refunded, and everything if all is reversed, at random", async function () {
    this.timeout(60_000);
    const amount = fc.integer({ min: 1, max: 300 });
    const who = fc.nat(3);
    const step = fc.oneof(
      fc.record({ kind: fc.constant("buy" as const), who, amount }),
      fc.record({ kind: fc.constant("grant" as const), who, amount }),
      fc.record({ kind: fc.constant("exchange" as const), who, amount }),
      fc.record({ kind: fc.constant("refund" as const), who, amount }),
      {
        arbitrary: fc.record({ kind: fc.constant("give" as const), who, to: who, amount, coin: fc.boolean() }),
        weight: 4,
      },
    );
    const run = async (steps: readonly Steps[]) => {
      const payments: Awaited<ReturnType<typeof buyCoins>>[] = [];
      const partly: [number, number][] = [];
      for (const user of people) payments.push(await buyCoins(user.id, 400));
      for (const one of steps) {
        const user = people[one.who]!;
        if (one.kind === "buy") payments.push(await buyCoins(user.id, one.amount));
        if (one.kind === "grant") await grant(user, one.amount);
        if (one.kind === "exchange") await outcomeOf(exchangeEarnings(callerOf(user), one.amount));
        if (one.kind === "give" && one.to !== one.who)
          await outcomeOf(give(user, people[one.to!]!, one.amount, one.coin ? coining : earning));
        if (one.kind === "refund" && payments.length > 0) partly.push([one.amount % payments.length, one.amount]);
      }
      const before = await net(people);
      const refunds: string[] = [];
      for (const [index, amount] of partly) refunds.push(await refund(payments[index]!, amount));
      for (const payment of payments) refunds.push(await refund(payment));
      expect((await net(people)).map(({ bought, earned }) => ({ bought, earned }))).to.deep.equal(
        people.map(() => ({ bought: 0, earned: 0 })),
      );
      for (const id of refunds.toReversed()) await win(id);
      const after = await net(people);
      expect(after.map(({ coins, earned }) => ({ coins, earned }))).to.deep.equal(
        before.map(({ coins, earned }) => ({ coins, earned })),
      );
      people = await Promise.all([buyer!, buyer!, buyer!, buyer!].map(() => buildUser()));
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), run), {
      numRuns: Number(process.env.RANDOM_REFUNDS ?? 6),
      endOnFailure: true,
    });
  });

  it("is exact while its coins are given on, and without deadlocks", async () => {
    const payments = await Promise.all([buyer!, friend!].map(({ id }) => buyCoins(id, 400)));
    const pairs = [
      [buyer!, friend!],
      [friend!, buyer!],
      [buyer!, host!],
      [friend!, host!],
    ] as const;
    const gifts = Array.from({ length: 40 }, (_, index) => {
      const [from, to] = pairs[index % 4]!;
      return give(from, to, 20, index % 4 < 2 ? coining : earning).catch((error: { code: string }) => error.code);
    });
    await Promise.all([...gifts, ...payments.flatMap((payment) => [refund(payment, 150), refund(payment, 250)])]);
    // Nothing bought is left; what was earned is owed or was taken back.
    const [sum] = await query<{ bought: number; earned: number }>(
      `SELECT sum(bought)::int AS bought, coalesce(sum(balance) FILTER (WHERE asset = 'earnings'), 0)::int AS earned
       FROM wallets WHERE user_id = ANY ($1)`,
      [people.map(({ id }) => id)],
    );
    expect(sum).to.deep.equal({ bought: 0, earned: 0 });
  });
});
