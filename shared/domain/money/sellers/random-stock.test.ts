import { expect } from "chai";
import fc from "fast-check";
import { query } from "#shared/db/query.ts";
import { exchangeEarnings } from "#shared/domain/money/earnings/exchange-earnings.ts";
import { payShareDebts } from "#shared/domain/money/earnings/pay-share-debts.ts";
import { debtOf } from "#shared/domain/money/ledger/debts.ts";
import { buyCoins, buyStock } from "#shared/testing/earnings.ts";
import { callerOf, outcomeOf } from "#shared/testing/people.ts";
import { StockScene } from "#shared/testing/stock-scene.ts";
import { reverseTransfer } from "./reverse-transfer.ts";

/** How many random histories: `RANDOM_REFUNDS=1000` for a large run. */
const runs = Number(process.env.RANDOM_REFUNDS ?? 4);

interface Step {
  readonly kind: "stock" | "buy" | "pass" | "give" | "exchange" | "refund" | "win" | "reverse" | "pay";
  readonly who: number;
  readonly to: number;
  readonly amount: number;
}
const often = ["pass", "pass", "give", "give"] as const;
const kinds = ["stock", "buy", "pass", "give", "exchange", "refund", "win", "reverse", "pay", ...often] as const;
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...kinds),
  who: fc.nat(2),
  to: fc.nat(2),
  amount: fc.integer({ min: 1, max: 300 }),
});

/** What users have less what they owe: of earnings, with those that they exchanged. */
const net = (userIds: readonly string[]) =>
  query(
    `SELECT w.asset, w.balance - ${debtOf("w.user_id", "w.asset")} + CASE w.asset WHEN 'earnings' THEN (
       SELECT coalesce(sum(x.earnings), 0) FROM earnings_exchanges x WHERE x.user_id = w.user_id) ELSE 0 END AS net
     FROM wallets w WHERE w.user_id = ANY ($1) ORDER BY array_position($1, w.user_id), asset`,
    [userIds],
  );

/** What is left of what was bought, and what recipients owed of reversed transfers. */
async function left(userIds: readonly string[]): Promise<{ bought: number; stock: number; owed: number }> {
  const [row] = await query<{ bought: number; stock: number; owed: number }>(
    `SELECT sum(bought)::int AS bought, coalesce(sum(balance) FILTER (WHERE asset = 'XCS'), 0)::int AS stock,
       (SELECT coalesce(sum(debt), 0) FROM seller_reversals WHERE recipient_id = ANY ($1))::int AS owed
     FROM wallets WHERE user_id = ANY ($1)`,
    [userIds],
  );
  return row!;
}

/** The stock of a seller who owes for stock, too. */
const bothOf = (sellerId: string) =>
  query(
    `SELECT balance, ${debtOf("w.user_id", "w.asset")} AS debt FROM wallets w
     WHERE user_id = $1 AND asset = 'XCS' AND balance > 0 AND ${debtOf("w.user_id", "w.asset")} > 0`,
    [sellerId],
  );

describe("refunds of sellers' stock under random purchases, transfers, gifts, and exchanges", () => {
  const scene = StockScene.use();
  const { pass, give, refund, win } = scene;

  /** Takes the steps. Returns all payments, and the refunds so far. */
  async function take(steps: readonly Step[]) {
    const payments = [await buyStock(scene.seller.id, 500)];
    const refunds: string[] = [];
    const transfers: string[] = [];
    for (const { kind, who, to, amount } of steps) {
      const [one, other] = [scene.people[who + 1]!, scene.people[to + 1]!];
      if (kind === "stock") payments.push(await buyStock(scene.seller.id, amount));
      if (kind === "buy") payments.push(await buyCoins(one.id, amount));
      if (kind === "pass") await outcomeOf(pass(one, amount).then(({ id }) => transfers.push(id)));
      if (kind === "give" && who !== to)
        await outcomeOf(give(one, other, amount, to === 0 ? scene.coining : scene.earning));
      if (kind === "exchange") await outcomeOf(exchangeEarnings(callerOf(one), amount));
      if (kind === "refund") refunds.push(await refund(payments[amount % payments.length]!, amount));
      if (kind === "win" && refunds.length > 0) await win(refunds[amount % refunds.length]!);
      if (kind === "reverse" && transfers.length > 0)
        await outcomeOf(reverseTransfer(scene.admin, transfers[amount % transfers.length]!, "At random"));
      if (kind === "pay") await payShareDebts();
      expect(await bothOf(scene.seller.id), kind).to.deep.equal([]);
    }
    return { payments, refunds };
  }

  async function run(steps: readonly Step[]): Promise<void> {
    await scene.meet();
    const userIds = scene.people.map(({ id }) => id);
    const { payments, refunds } = await take(steps);
    const before = await net(userIds);
    const last: string[] = [];
    for (const payment of payments) last.push(await refund(payment));
    const { bought, stock, owed } = await left(userIds);
    expect(stock).to.equal(0);
    // A reversed transfer isn't followed: its recipient owes what they have given away of it.
    expect(bought).to.be.at.most(owed);
    for (const id of last.toReversed()) await win(id);
    expect(await net(userIds)).to.deep.equal(before);
    for (const id of refunds.toReversed()) await win(id);
    await scene.assertWhole();
  }

  it("leave nothing bought once all is refunded, and everything if all is reversed", async function () {
    this.timeout(60_000 + runs * 5000);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), run), {
      numRuns: runs,
      endOnFailure: true,
    });
  });

  it("are exact while coins move on, and beside other refunds, without deadlocks", async () => {
    const [seller, ada, bob, host] = scene.people;
    const payments = [await buyStock(seller!.id, 400), await buyStock(seller!.id, 400)];
    const own = await buyCoins(bob!.id, 100);
    await pass(ada!, 200);
    const moves = Array.from({ length: 24 }, (_, n) => {
      if (n % 3 === 0) return pass(n % 2 ? ada! : bob!, 20);
      return n % 3 === 1 ? give(ada!, bob!, 10, scene.coining) : give(bob!, host!, 10);
    });
    const refunds = [...payments.flatMap((one) => [refund(one, 150), refund(one, 250)]), refund(own)];
    const outcomes = await Promise.all([...moves, ...refunds].map(outcomeOf));
    expect(outcomes.filter((outcome) => outcome !== "ok" && outcome !== "INSUFFICIENT_BALANCE")).to.deep.equal([]);
    expect(await left(scene.people.map(({ id }) => id))).to.deep.equal({ bought: 0, stock: 0, owed: 0 });
  });
});
