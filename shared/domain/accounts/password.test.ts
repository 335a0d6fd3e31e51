import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { hashPassword, verifyNobody, verifyPassword } from "./password.ts";

describe("password hashes", () => {
  it("are argon2id at OWASP's cost, and differ for one password", async () => {
    const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(other);
  });

  it("fit their password only, however it is spelt", async () => {
    const hash = await hashPassword("caf\u00e9 society");
    expect(await verifyPassword(hash, "cafe\u0301 society")).to.equal(true);
    expect(await verifyPassword(hash, "cafe society")).to.equal(false);
    expect(await verifyPassword(hash, "")).to.equal(false);
  });

  it("are asked for nobody at the same price: through the same gate", async () => {
    expect(await verifyNobody("wrong")).to.equal(false);
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => verifyNobody("wrong")));
    expect(outcomes.filter(({ status }) => status === "rejected")).to.have.length(4);
  });

  it("are made 4 at once with 32 waiting; the next is refused at once and room is made as they end", async () => {
    const asked = Array.from({ length: 40 }, () => hashPassword("correct horse"));
    const outcomes = await Promise.allSettled(asked);
    const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
    expect(refused).to.have.length(4);
    for (const refusal of refused) {
      expect(refusal).to.be.instanceOf(DomainError).with.property("code", "RATE_LIMITED");
      expect(refusal).to.have.property("retryAfter", 1);
    }
    expect(await hashPassword("correct horse")).to.be.a("string");
  });
});
