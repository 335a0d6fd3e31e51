import { expect } from "chai";
import fc from "fast-check";
import { formatDecimal, formatMoney, parseDecimal, smallestOf, symbolOf } from "./decimal.ts";

describe("decimals", () => {
  it("are read as they are written", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (value) => {
        expect(parseDecimal(formatDecimal(value))).to.equal(value);
        expect(formatDecimal(-value)).to.equal(value === 0n ? "0" : `-${formatDecimal(value)}`);
      }),
    );
  });

  it("reject text that isn't a decimal", () => {
    for (const text of ["", "-1", "1e3", "1.23456", "NaN", " 1", "0x1"])
      expect(() => parseDecimal(text)).to.throw(RangeError);
  });

  it("have the places of their currency", () => {
    const shown = ["USD", "JPY", "KWD", "CLF"].map((currency) => formatMoney(125_000n, currency));

    expect(shown).to.deep.equal(["12.50", "12.5", "12.500", "12.5000"]);
    expect([formatMoney(-10_000n, "USD"), formatMoney(30_000n, "JPY")]).to.deep.equal(["-1.00", "3"]);
    expect(["USD", "JPY", "KWD", "CLF"].map(smallestOf)).to.deep.equal([100n, 10_000n, 10n, 1n]);
  });

  it("know the symbols of currencies", () => {
    expect(["USD", "EUR", "INR", "CHF"].map(symbolOf)).to.deep.equal(["$", "€", "₹", "CHF"]);
  });
});
