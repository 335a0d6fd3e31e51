import { expect } from "chai";
import fc from "fast-check";
import { formatDecimal, parseDecimal } from "#shared/kernel/decimal.ts";
import { type DiscountType, discounted } from "./money.ts";

const smallest: Record<string, bigint> = { JPY: 10_000n, USD: 100n, KWD: 10n };
const currencies = fc.constantFrom(...Object.keys(smallest));
/** Prices in whole steps of their currency. */
const prices = fc
  .record({ currency: currencies, steps: fc.bigInt({ min: 1n, max: 10n ** 9n }) })
  .map(({ currency, steps }) => ({ currency, price: steps * smallest[currency]! }));
const percentages = fc.bigInt({ min: 0n, max: 1_000_000n });
const amounts = fc.bigInt({ min: 0n, max: 10n ** 15n });
const discounts = fc.oneof(
  percentages.map((discount) => ({ discountType: "percentage" as const, discount })),
  amounts.map((discount) => ({ discountType: "flat" as const, discount })),
);

describe("the arithmetic of discounts", () => {
  it("splits every price into amount and total, neither below zero, both payable", () => {
    fc.assert(
      fc.property(prices, discounts, (priced, given) => {
        const { amount, total } = discounted({ ...priced, ...given });

        expect(amount + total).to.equal(priced.price);
        expect(amount >= 0n && total >= 0n).to.equal(true);
        expect([amount % smallest[priced.currency]!, total % smallest[priced.currency]!]).to.deep.equal([0n, 0n]);
      }),
    );
  });

  it("is at most half a step away from the exact percentage", () => {
    fc.assert(
      fc.property(prices, percentages, (priced, discount) => {
        const { amount } = discounted({ ...priced, discount, discountType: "percentage" });

        const error = amount * 1_000_000n - priced.price * discount;
        expect((error < 0n ? -error : error) * 2n <= smallest[priced.currency]! * 1_000_000n).to.equal(true);
      }),
    );
  });

  it("grows with the discount", () => {
    fc.assert(
      fc.property(prices, discounts, percentages, (priced, given, more) => {
        const larger = { ...given, discount: given.discount + more };

        expect(discounted({ ...priced, ...larger }).amount >= discounted({ ...priced, ...given }).amount).to.equal(
          true,
        );
      }),
    );
  });

  const cases: [
    price: string,
    discount: string,
    type: DiscountType,
    currency: string,
    amount: string,
    total: string,
  ][] = [
    ["9.99", "0", "percentage", "USD", "0", "9.99"],
    ["9.99", "10", "percentage", "USD", "1", "8.99"],
    ["0.05", "50", "percentage", "USD", "0.03", "0.02"],
    ["9.99", "33.3333", "percentage", "USD", "3.33", "6.66"],
    ["9.99", "100", "percentage", "USD", "9.99", "0"],
    ["9.99", "2.5", "flat", "USD", "2.5", "7.49"],
    ["9.99", "20", "flat", "USD", "9.99", "0"],
    ["999", "0.5", "percentage", "JPY", "5", "994"],
    ["1.005", "10", "percentage", "KWD", "0.101", "0.904"],
  ];
  for (const [price, discount, discountType, currency, amount, total] of cases)
    it(`takes ${discount} (${discountType}) off ${price} ${currency}: ${amount}`, () => {
      const result = discounted({
        price: parseDecimal(price),
        discount: parseDecimal(discount),
        discountType,
        currency,
      });

      expect([formatDecimal(result.amount), formatDecimal(result.total)]).to.deep.equal([amount, total]);
    });
});
