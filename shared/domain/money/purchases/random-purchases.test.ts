import { expect } from "chai";
import fc from "fast-check";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getWallet } from "#shared/domain/money/payments/payments.queries.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { differencesOf, giveCoins } from "#shared/testing/fakes/razorpay-scene.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { buildPackage, buildProduct } from "#shared/testing/sales.ts";
import { recordPurchase } from "./record-purchase.ts";
import { refundPurchase, reverseRefunds } from "./refund-purchase.ts";
import type { VerifiedPurchase } from "./verified-purchase.ts";

const coins = 97;
const price = 400;
const start = Date.parse("2026-11-01T00:00:00.000Z");
const at = (day: number) => new Date(start + daysMs(day)).toISOString();

/** What happened at the store to a purchase, in this order: refunds and reversals alternate. */
interface Story {
  readonly purchase: VerifiedPurchase;
  /** Refunded on day 1, reversed on day 2, refunded again on day 3, and so on. */
  readonly turns: number;
}

/** `pick` chooses a purchase, and one of its reports. */
interface Step {
  readonly kind: "verify" | "notice" | "report" | "lost" | "spend" | "steal";
  readonly pick: number;
  readonly turn: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("verify", "notice", "report", "report", "lost", "spend", "steal"),
  pick: fc.nat(1000),
  turn: fc.nat(3),
});
const stories = fc.array(fc.record({ turns: fc.nat(4), named: fc.boolean() }), { minLength: 1, maxLength: 3 });

describe("purchases in any order", () => {
  useDatabase();
  let productId: string;
  let serial = 0;
  before(async () => {
    const pack = await buildPackage({ coins, price });
    productId = await buildProduct({ coin_package_id: pack.id });
  });

  const purchaseOf = (user: BuiltUser, named: boolean): VerifiedPurchase => {
    serial += 1;
    const transactionId = `${process.pid}_${serial}`;
    return {
      provider: "apple",
      environment: "sandbox",
      transactionId,
      originalTransactionId: transactionId,
      userId: named ? user.id : null,
      item: { productId },
      quantity: 1,
      price: { amount: price, currency: "INR" },
      purchasedAt: at(0),
      receipt: transactionId,
    };
  };

  const record = (purchase: VerifiedPurchase, claimant: string | null) =>
    inTransaction((tx) => recordPurchase(tx, purchase, claimant));
  /** A report of the store about a refund or its reversal carries the purchase, as those of stores do. */
  const report = ({ purchase, turns }: Story, turn: number) =>
    inTransaction(async (tx) => {
      await recordPurchase(tx, purchase, null);
      if (turn >= turns) return;
      const { provider, transactionId } = purchase;
      if (turn % 2 === 1) await reverseRefunds(tx, provider, transactionId, at(turn + 1));
      else
        await refundPurchase(tx, { provider, transactionId, refundId: `${transactionId}_${turn}`, at: at(turn + 1) });
    });

  async function check(user: BuiltUser, bought: readonly Story[], spent: number): Promise<void> {
    const ids = bought.map(({ purchase }) => purchase.transactionId);
    const claimed = await query<{ id: string; transaction_id: string; refunds: number }>(
      `SELECT o.id, p.transaction_id, (SELECT count(*) FROM payment_refunds r JOIN payments y ON y.id = r.payment_id
         WHERE y.order_id = o.id) AS refunds
       FROM store_purchases p JOIN payment_orders o ON o.id = p.order_id WHERE p.transaction_id = ANY ($1)`,
      [ids],
    );
    let expected = -spent;
    for (const { purchase, turns } of bought) {
      const order = claimed.find(({ transaction_id }) => transaction_id === purchase.transactionId);
      const kept = turns % 2 === 0;
      expect(Boolean(order) || !kept, "what isn't refunded has an order").to.equal(true);
      expect(order?.refunds ?? 0).to.be.at.most(Math.ceil(turns / 2));
      if (kept) expected += coins;
    }
    const { balance, debt } = await getWallet(user.id);
    expect(balance - debt).to.equal(expected);
    expect(await differencesOf(user.id, ...claimed.map(({ id }) => id))).to.deep.equal([]);
  }

  it("is credited once, and debited once for each refund, whatever is repeated, lost, or too late", async function () {
    this.timeout(120_000);
    await fc.assert(
      fc.asyncProperty(stories, fc.array(step, { minLength: 4, maxLength: 20 }), async (told, steps) => {
        const [user, thief] = await Promise.all([buildUser(), buildUser()]);
        const bought = told.map(({ turns, named }): Story => ({ turns, purchase: purchaseOf(user, named) }));
        let spent = 0;
        const act: Record<Step["kind"], (story: Story, step: Step) => Promise<unknown>> = {
          verify: ({ purchase }) => record(purchase, user.id),
          notice: ({ purchase }) => record(purchase, null),
          report: (story, { turn }) => report(story, turn),
          lost: ({ purchase }) =>
            inTransaction(async (tx) => {
              await recordPurchase(tx, purchase, user.id);
              throw new Error("the process died before it committed");
            }).catch(() => undefined),
          spend: async (_story, { pick }) => {
            const amount = 1 + (pick % 60);
            await giveCoins(user, -amount);
            spent += amount;
          },
          // No one else may present what names its buyer, or what they have presented.
          steal: async ({ purchase }) =>
            purchase.userId === null
              ? undefined
              : expect(await outcomeOf(record(purchase, thief.id))).to.equal("CONFLICT"),
        };

        for (let index = 0; index < steps.length; index += 3) {
          const together = steps.slice(index, index + 3);
          const outcomes = together.map((one) => outcomeOf(act[one.kind](bought[one.pick % bought.length]!, one)));
          expect(["ok", "INSUFFICIENT_BALANCE"]).to.include.members(await Promise.all(outcomes));
        }
        // In the end the store has reported everything, and the app has presented it.
        for (const story of bought) {
          for (let turn = story.turns - 1; turn >= 0; turn -= 1) await report(story, turn);
          await record(story.purchase, user.id);
        }

        await check(user, bought, spent);
        expect((await getWallet(thief.id)).balance).to.equal(0);
      }),
      { numRuns: 100, includeErrorInReport: true },
    );
  });
});
