import { expect } from "chai";
import { canExist, countryOfNumber, writtenNumber } from "./phone-number.ts";

describe("phone numbers", () => {
  it("exist if their country has such numbers", () => {
    const numbers = ["+919876543210", "+34612345678", "+447400123456", "+919876", "+9199999999999", "+34012345678"];
    expect(numbers.map(canExist)).to.deep.equal([true, true, true, false, false, false]);
    expect(numbers.slice(0, 3).map(countryOfNumber)).to.deep.equal(["IN", "ES", "GB"]);
  });

  it("are read as people write them, and no other text is", () => {
    const written = ["+91 98765-43210", "0091 98765 43210", " +91 (98765) 43210 ", "+919876543210"];
    expect(written.map(writtenNumber)).to.deep.equal(written.map(() => "+919876543210"));
    for (const text of [
      "98765 43210",
      "ada",
      "+ada",
      "+91 12",
      "+",
      "0198f2ac-58a1-7d8c-9a63-f41e7c05b2d8",
      "00000000",
    ])
      expect(writtenNumber(text), text).to.equal(undefined);
  });
});
