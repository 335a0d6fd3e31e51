import { expect } from "chai";
import { isSigned, sign } from "#shared/kernel/hmac.ts";
import { paymentMessage } from "./signature.ts";

describe("signatures", () => {
  it("are HMAC-SHA256 in hex, as RFC 4231 has it", () => {
    expect(sign("Jefe", "what do ya want for nothing?")).to.equal(
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    );
    expect(sign("\x0b".repeat(20), Buffer.from("Hi There"))).to.equal(
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
    );
  });

  it("of a payment are those of Razorpay's own example", () => {
    // https://github.com/razorpay/razorpay-node/blob/master/documents/paymentVerfication.md
    const message = paymentMessage("order_IEIaMR65cu6nz3", "pay_IH4NVgf4Dreq1l");
    const signature = "0d4e745a1838664ad6c9c9902212a32d627d68e917290b0ad5f08ff4561bc50f";
    expect(isSigned(["EnLs21M47BllR3X8PSFtjtbd"], message, signature)).to.equal(true);
  });

  it("are accepted from each of two secrets, and no other", () => {
    const message = '{"event":"payment.captured"}';
    for (const secret of ["new", "old"])
      expect(isSigned(["new", "old"], message, sign(secret, message))).to.equal(true);
    expect(isSigned(["new", "old"], message, sign("older", message))).to.equal(false);
    expect(isSigned([], message, sign("", message))).to.equal(false);
  });

  it("are rejected for any difference: a letter, the case, the length, the bytes", () => {
    const right = sign("secret", "message");
    const wrong = [
      "",
      right.slice(1),
      `${right}0`,
      right.toUpperCase(),
      `0${right.slice(1)}x`,
      "é".repeat(32),
      "\u0000",
    ];
    for (const signature of wrong) expect(isSigned(["secret"], "message", signature), signature).to.equal(false);
    expect(isSigned(["secret"], "message ", right)).to.equal(false);
    expect(isSigned(["secret"], Buffer.from("message"), right)).to.equal(true);
  });
});
