import { expect } from "chai";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { hashPassword, verifyDummy, verifyPassword } from "./password.ts";

describe("password hashes", () => {
  it("are argon2id at OWASP's cost, and differ for one password", async () => {
    const [one, other] = await Promise.all([hashPassword("correct horse"), hashPassword("correct horse")]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(other);
  });

  it("match their password only, however it is encoded", async () => {
    const hash = await hashPassword("caf\u00e9 society");
    expect(await verifyPassword("login", hash, "cafe\u0301 society")).to.equal(true);
    expect(await verifyPassword("login", hash, "cafe society")).to.equal(false);
    expect(await verifyPassword("login", hash, "")).to.equal(false);
  });

  it("cost the same for an account that does not exist: they pass the same gate", async () => {
    expect(await verifyDummy("login", "wrong")).to.equal(false);

    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => verifyDummy("login", "wrong")));

    expect(outcomes.filter(({ status }) => status === "rejected")).to.have.length(40 - 2 - 32);
  });

  it("queue up to 32; further ones are rejected after a second, until others have ended", async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => hashPassword("correct horse")));

    const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason);
    expect(refused).to.have.length(40 - 1 - 32);
    for (const error of refused) {
      expect(error).to.be.instanceOf(DomainError).with.property("code", "RATE_LIMITED");
      expect(error).to.have.property("retryAfter", 1);
    }
    expect(await hashPassword("correct horse")).to.be.a("string");
  });

  it("never crowd out logins with those of rooms and registrations", async () => {
    const crowd = Promise.allSettled(Array.from({ length: 100 }, () => hashPassword("open sesame")));

    const logins = await Promise.all(Array.from({ length: 12 }, () => verifyDummy("login", "wrong")));

    expect(logins).to.deep.equal(Array.from({ length: 12 }, () => false));
    await crowd;
  });
});
