import { expect } from "chai";
import fc from "fast-check";
import type { SplitShare } from "#shared/contracts/views.ts";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { type GiftShare, partsOf, splitByPlan, splitBySettings } from "./split-gift.ts";

const takers = { receiver: "r", owner: "o" };
const shown = (shares: readonly GiftShare[]) =>
  shares.map(({ taker, asset, amount, bought }) => `${taker} ${amount} ${asset}${bought ? ` (${bought} bought)` : ""}`);

const basisPoints = fc
  .array(fc.integer({ min: 0, max: 10_000 }), { minLength: 0, maxLength: 6 })
  .map((cuts) => [0, ...cuts.toSorted((a, b) => a - b), 10_000])
  .map((ends) => ends.slice(1).map((end, index) => end - ends[index]!));

describe("the parts of an amount", () => {
  it("add up to it, each its share rounded up or down", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9_000_000_000_000_000 }), basisPoints, (amount, points) => {
        const parts = partsOf(amount, points);
        expect(parts.reduce((sum, part) => sum + BigInt(part), 0n)).to.equal(BigInt(amount));
        for (const [index, part] of parts.entries()) {
          const exact = BigInt(amount) * BigInt(points[index]!);
          expect(BigInt(part) === exact / 10_000n || BigInt(part) === (exact + 9_999n) / 10_000n).to.equal(true);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("round up those that lost most, and of equal ones the first", () => {
    expect(partsOf(10, [3333, 3333, 3334])).to.deep.equal([3, 3, 4]);
    expect(partsOf(1, [5000, 5000])).to.deep.equal([1, 0]);
    expect(partsOf(7, [2500, 2500, 5000])).to.deep.equal([2, 2, 3]);
  });
});

describe("the shares of a gift", () => {
  const shares: SplitShare[] = [
    { to: "receiver", basis_points: 4000, asset: "earnings" },
    { to: "owner", basis_points: 1000, asset: "coins" },
    { to: "agency", basis_points: 1000, asset: "earnings" },
    { to: "house", basis_points: 4000 },
  ];
  afterEach(() => rememberSettings({ granted_gifts_pay: true, gift_receiver_percent: 50 }));

  it("earn of bought coins only, and pay coins for granted ones, which stay granted", () => {
    expect(shown(splitByPlan({ shares }, { total: 100, bought: 100 }, takers))).to.deep.equal([
      "receiver 40 earnings",
      "owner 10 coins (10 bought)",
    ]);
    expect(shown(splitByPlan({ shares }, { total: 100, bought: 50 }, takers))).to.deep.equal([
      "receiver 20 earnings",
      "receiver 20 coins",
      "owner 10 coins (5 bought)",
    ]);
    expect(shown(splitByPlan({ shares }, { total: 100, bought: 0 }, takers))).to.deep.equal([
      "receiver 40 coins",
      "owner 10 coins",
    ]);
  });

  it("pay nothing for granted coins if the settings say so", () => {
    rememberSettings({ granted_gifts_pay: false });
    expect(splitByPlan({ shares }, { total: 100, bought: 0 }, takers)).to.deep.equal([]);
    expect(shown(splitByPlan({ shares }, { total: 100, bought: 10 }, takers))).to.deep.equal([
      "receiver 4 earnings",
      "owner 1 coins (1 bought)",
    ]);
    expect(shown(splitBySettings({ total: 100, bought: 10 }, "r"))).to.deep.equal(["receiver 5 coins (5 bought)"]);
  });

  it("leave with the house what has no taker", () => {
    expect(shown(splitByPlan({ shares }, { total: 100, bought: 100 }, { receiver: "r" }))).to.deep.equal([
      "receiver 40 earnings",
    ]);
  });

  it("keep of the recipient's coins, by the settings, at most their share of bought ones", () => {
    fc.assert(
      fc.property(fc.nat(1000), fc.nat(1000), fc.integer({ min: 0, max: 100 }), (bought, granted, percent) => {
        rememberSettings({ gift_receiver_percent: percent });
        const total = bought + granted;
        const [share = { amount: 0, bought: 0 }] = splitBySettings({ total, bought }, "r");
        expect(share.amount).to.equal(Math.floor((total * percent) / 100));
        // The house gets the rest of both.
        expect(share.bought).to.be.at.most(share.amount);
        expect(bought - share.bought).to.be.within(0, total - share.amount);
      }),
    );
  });
});
