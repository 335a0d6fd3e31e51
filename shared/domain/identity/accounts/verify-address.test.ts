import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { codeIn, messagesTo, wrongFor } from "#shared/testing/mailbox.ts";
import { useService } from "#shared/testing/service.ts";
import { statementsOf } from "#shared/testing/statements.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { enqueueAccountMail, sendAccountMail } from "./account-mail.ts";
import { configureMessageLimits, messagesPerHour } from "./message-limits.ts";
import { pruneCodes } from "./prune-codes.ts";
import { requestVerification } from "./request-message.ts";
import { type CodePurpose, codeSubject, issueCode } from "./verification-code.ts";
import { triesPerCaller, triesPerPool, type Verifier, verifyAddress } from "./verify-address.ts";

/** The network that the sessions of built users come from. */
const home = { ip: "127.0.0.1" };
let strangers = 0;
/** A caller from a network that no session comes from, another one each time. */
function stranger(): Verifier {
  strangers += 1;
  return { ip: `203.0.113.${strangers}` };
}

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );
const verified = async (userId: string) => {
  const row = await queryOne<{ email: boolean; mobile: boolean }>(
    `SELECT email_verified_at IS NOT NULL AS email, mobile_verified_at IS NOT NULL AS mobile FROM users WHERE id = $1`,
    [userId],
  );
  return row!;
};
let numbers = 0;
function newMobile(): string {
  numbers += 1;
  return `+91${String(process.pid).padStart(7, "0")}${String(numbers).padStart(3, "0")}`;
}

describe("verifying an address", () => {
  useService();
  const clock = useClock();
  const codeFor = (userId: string, purpose: CodePurpose, address: string) =>
    inTransaction((tx) => issueCode(tx, userId, purpose, address));
  const verify = (email: string, code: string, by: Verifier = home) =>
    outcomeOf(verifyAddress("verify_email", email, code, by));

  it("accepts the mailed code once", async () => {
    const ada = await buildUser();
    await inTransaction((tx) => enqueueAccountMail(tx, ada.id, "verify_email"));
    const [mail] = await messagesTo(ada.email);
    expect(await verify(ada.email, codeIn(mail!))).to.equal("done");
    expect(await verified(ada.id)).to.deep.equal({ email: true, mobile: false });
    expect(await verify(ada.email, codeIn(mail!))).to.equal("CODE_INVALID");
  });

  it("accepts the code that was sent to a number, for that number only", async () => {
    const mobile = newMobile();
    const ada = await buildUser({ mobile });
    await sendAccountMail(ada.id, "verify_mobile");
    const code = codeIn((await messagesTo(mobile))[0]!);
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
    expect(await verify(mobile, code)).to.equal("CODE_INVALID");
    expect(await outcomeOf(verifyAddress("verify_mobile", ada.email, code, home))).to.equal("CODE_INVALID");
    expect(await outcomeOf(verifyAddress("verify_mobile", mobile, code, home))).to.equal("done");
    expect(await verified(ada.id)).to.deep.equal({ email: false, mobile: true });
  });

  it("rejects another user's code", async () => {
    const [ada, eve] = [await buildUser(), await buildUser()];
    const code = await codeFor(eve.id, "verify_email", eve.email);
    await codeFor(ada.id, "verify_email", ada.email);
    await query("UPDATE verification_codes SET code_hash = $2 WHERE subject = $1", [
      codeSubject("verify_email", ada.email),
      (
        await queryOne<{ code_hash: Buffer }>("SELECT code_hash FROM verification_codes WHERE subject = $1", [
          codeSubject("verify_email", eve.email),
        ])
      )?.code_hash,
    ]);
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
  });

  it("is not for an address that is no longer the account's", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    await query("UPDATE users SET email = $2 WHERE id = $1", [ada.id, `new.${ada.email}`]);
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
    expect((await verified(ada.id)).email).to.equal(false);
  });

  it("rejects a code that is 10 minutes old", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    clock.forward(minutesMs(10) + secondsMs(1));
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
    const second = await codeFor(ada.id, "verify_email", ada.email);
    clock.forward(minutesMs(9));
    expect(await verify(ada.email, second)).to.equal("done");
  });

  it("rejects the sixth try even when it is right", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    for (let tries = 0; tries < triesPerCaller; tries += 1)
      expect(await verify(ada.email, wrongFor(code))).to.equal("CODE_INVALID");
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
    expect(await verify(ada.email, await codeFor(ada.id, "verify_email", ada.email))).to.equal("done");
  });

  it("leaves the owner their tries, however many strangers use up theirs", async () => {
    const ada = await buildUser();
    const owner = { ip: "198.51.100.7", userId: ada.id };
    for (const rightful of [owner, home]) {
      const code = await codeFor(ada.id, "verify_email", ada.email);
      const [eve, tries] = [await buildUser(), 2 * triesPerPool];
      for (let count = 0; count < tries; count += 1) {
        const by = count % 2 ? stranger() : { ...stranger(), userId: eve.id };
        expect(await verify(ada.email, wrongFor(code), by)).to.equal("CODE_INVALID");
      }
      expect(await verify(ada.email, code, stranger())).to.equal("CODE_INVALID");

      expect(await verify(ada.email, code, rightful)).to.equal("done");
      await query("UPDATE users SET email_verified_at = NULL WHERE id = $1", [ada.id]);
    }
  });

  it("shares no tries between the owner and others in their network", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    for (let tries = 0; tries < triesPerCaller; tries += 1) await verify(ada.email, wrongFor(code), home);
    expect(await verify(ada.email, code, home)).to.equal("CODE_INVALID");
    expect(await verify(ada.email, code, { ...home, userId: ada.id })).to.equal("done");
  });

  it("allows 5 of 20 concurrent tries", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    await Promise.all(Array.from({ length: 20 }, () => verify(ada.email, wrongFor(code))));
    expect(await verify(ada.email, code)).to.equal("CODE_INVALID");
    expect((await verified(ada.id)).email).to.equal(false);
  });

  it("accepts a code once when it is sent 20 times at once", async () => {
    const ada = await buildUser();
    const code = await codeFor(ada.id, "verify_email", ada.email);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => verify(ada.email, code)));
    expect(outcomes.filter((outcome) => outcome === "done")).to.have.length(1);
    expect(outcomes.filter((outcome) => outcome === "CODE_INVALID")).to.have.length(19);
    expect((await verified(ada.id)).email).to.equal(true);
  });

  it("accepts only the newest code", async () => {
    const ada = await buildUser();
    const [first, second] = [
      await codeFor(ada.id, "verify_email", ada.email),
      await codeFor(ada.id, "verify_email", ada.email),
    ];
    if (first !== second) expect(await verify(ada.email, first)).to.equal("CODE_INVALID");
    expect(await verify(ada.email, second)).to.equal("done");
  });

  it("does the same work for an unknown address, a verified one and a wrong code", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    const code = await codeFor(ada.id, "verify_email", ada.email);
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [grace.id]);
    const [known, done, unknown] = [
      await statementsOf(() => verify(ada.email, wrongFor(code))),
      await statementsOf(() => verify(grace.email, "123456")),
      await statementsOf(() => verify(`nobody.${ada.email}`, "123456")),
    ];
    expect(known.join()).to.include("INSERT INTO verification_tries");
    expect(done).to.deep.equal(known);
    expect(unknown).to.deep.equal(known);
  });

  it("stores neither code nor address in the tables of codes and jobs", async () => {
    const ada = await buildUser();
    await inTransaction((tx) => enqueueAccountMail(tx, ada.id, "verify_email"));
    const code = codeIn((await messagesTo(ada.email))[0]!);
    for (const table of ["verification_codes", "pgboss.job"] as const) {
      const rows = JSON.stringify(
        table === "pgboss.job"
          ? await query("SELECT data, output FROM pgboss.job WHERE name = 'mail.account'")
          : await query("SELECT * FROM verification_codes"),
      );
      expect(rows).not.to.include(ada.email);
      expect(rows).not.to.match(new RegExp(`\\b${code}\\b`));
    }
  });
});

describe("requesting another code", () => {
  useService();
  beforeEach(() => configureMessageLimits({ enabled: true }));
  after(() => configureMessageLimits({ enabled: false }));

  it("sends one to an unverified address", async () => {
    const mobile = newMobile();
    const ada = await buildUser({ mobile });
    await requestVerification({ email: ada.email }, home);
    await requestVerification({ mobile }, home);
    expect(
      await outcomeOf(verifyAddress("verify_email", ada.email, codeIn((await messagesTo(ada.email))[0]!), home)),
    ).to.equal("done");
    expect((await messagesTo(mobile))[0]?.channel).to.equal("sms");
  });

  it("does the same work for an unknown address and a verified one, and sends nothing", async () => {
    const [ada, grace] = [await buildUser(), await buildUser()];
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [grace.id]);
    const [known, done, unknown] = [
      await statementsOf(() => requestVerification({ email: ada.email }, home)),
      await statementsOf(() => requestVerification({ email: grace.email }, home)),
      await statementsOf(() => requestVerification({ email: `nobody.${ada.email}` }, home)),
    ];
    expect(known.length).to.be.greaterThan(2);
    expect(done).to.deep.equal(known);
    expect(unknown).to.deep.equal(known);
    await messagesTo(ada.email);
    expect(await query("SELECT 1 FROM mail_outbox WHERE user_id = $1", [grace.id])).to.deep.equal([]);
  });

  it("is limited by the address, whether or not an account has it", async () => {
    const ada = await buildUser();
    for (const email of [ada.email, `nobody.${ada.email}`]) {
      const outcomes: string[] = [];
      for (let asked = 0; asked <= messagesPerHour.fromNetwork; asked += 1)
        outcomes.push(await outcomeOf(requestVerification({ email }, home)));
      expect(outcomes).to.deep.equal([...Array(messagesPerHour.fromNetwork).fill("done"), "RATE_LIMITED"]);
    }
  });
});

describe("codes that have expired", () => {
  useService();
  const clock = useClock();

  it("are deleted, with the tries at unknown addresses", async () => {
    const ada = await buildUser();
    const nobody = `nobody.${ada.email}`;
    await inTransaction((tx) => issueCode(tx, ada.id, "verify_email", ada.email));
    await outcomeOf(verifyAddress("verify_email", nobody, "123456", home));
    const left = () =>
      query(
        `SELECT subject FROM verification_codes WHERE subject = ANY($1::bytea[])
         UNION ALL SELECT DISTINCT subject FROM verification_tries WHERE subject = ANY($1::bytea[])`,
        [[ada.email, nobody].map((address) => codeSubject("verify_email", address))],
      );
    while ((await pruneCodes()) > 0);
    expect(await left()).to.have.length(2);
    clock.forward(minutesMs(10) + secondsMs(1));
    while ((await pruneCodes()) > 0);
    expect(await left()).to.have.length(0);
  });
});
