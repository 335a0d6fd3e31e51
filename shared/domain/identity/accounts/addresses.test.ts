import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { minutesMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { codeIn, messagesTo } from "#shared/testing/mailbox.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";
import { useClock } from "#shared/testing/use-clock.ts";
import { sendAccountMail } from "./account-mail.ts";
import { type AddressKind, reservedMinutes } from "./addresses.ts";
import { login } from "./login.ts";
import { register } from "./register.ts";
import { requestPasswordReset, requestVerification } from "./request-message.ts";
import { issueCode } from "./verification-code.ts";
import { verifyAddress } from "./verify-address.ts";

const device = { ip: "127.0.0.1", userAgent: "tests" };
const password = "correct horse battery";
const kinds: readonly AddressKind[] = ["email", "mobile"];
const taken = { email: "EMAIL_TAKEN", mobile: "MOBILE_TAKEN" } as const;

let count = 0;
function newAddress(kind: AddressKind): string {
  count += 1;
  const unique = `${process.pid}${String(count).padStart(3, "0")}`;
  return kind === "email" ? `claim${unique}@example.com` : `+62${unique.padStart(10, "0")}`;
}

describe("claims to an address", () => {
  useService();
  const clock = useClock();

  /** Registers a user with this address. */
  async function claim(kind: AddressKind, address: string) {
    const username = `c${newId().replaceAll("-", "").slice(-20)}`;
    const form = { full_name: "Ada", username, email: `${username}@example.com`, password, [kind]: address };
    const { user } = await register(form, device);
    // A code that is sent later would replace the test's.
    await until("the code was sent", async () => {
      const sent = "SELECT 1 FROM mail_outbox WHERE user_id = $1 AND recipient = $2";
      return (await query(sent, [user.id, address])).length > 0;
    });
    return { id: user.id, username };
  }

  /** Registers two users with the same address, the second when it is no longer reserved for the first. */
  async function claimTwice(kind: AddressKind) {
    const address = newAddress(kind);
    const first = await claim(kind, address);
    clock.forward(minutesMs(reservedMinutes + 1));
    return { address, first, second: await claim(kind, address) };
  }

  const codeFor = (userId: string, kind: AddressKind, address: string) =>
    inTransaction((tx) => issueCode(tx, userId, `verify_${kind}`, address));
  const verify = (kind: AddressKind, address: string, code: string) =>
    outcomeOf(verifyAddress(`verify_${kind}`, address, code, device));
  const verifiedBy = async (kind: AddressKind, address: string) =>
    (
      await query<{ id: string }>(`SELECT id FROM users WHERE ${kind} = $1 AND ${kind}_verified_at IS NOT NULL`, [
        address,
      ])
    ).map(({ id }) => id);
  const loggedInAs = async (identifier: string) => (await login({ identifier, password }, device)).user.id;

  for (const kind of kinds)
    describe(kind, () => {
      it("keep others from an address for an hour, and not longer", async () => {
        const address = newAddress(kind);
        await claim(kind, address);
        clock.forward(minutesMs(reservedMinutes - 1));
        expect(await outcomeOf(claim(kind, address))).to.equal(taken[kind]);

        clock.forward(minutesMs(2));
        expect(await outcomeOf(claim(kind, address))).to.equal("ok");
        // The second claim reserves nothing: claiming an address again and again does not keep its owner out.
        expect(await outcomeOf(claim(kind, address))).to.equal("ok");
      });

      it("end when one account verifies the address: it is that account's alone", async () => {
        const { address, first, second } = await claimTwice(kind);
        const codes = [await codeFor(first.id, kind, address), await codeFor(second.id, kind, address)];

        expect(await verify(kind, address, codes[1]!)).to.equal("ok");

        expect(await verifiedBy(kind, address)).to.deep.equal([second.id]);
        expect(await verify(kind, address, codes[0]!)).to.equal("CODE_INVALID");
        const late = await codeFor(first.id, kind, address);
        expect(await verify(kind, address, late)).to.equal("CODE_INVALID");
        expect(await verifiedBy(kind, address)).to.deep.equal([second.id]);
        expect(await outcomeOf(claim(kind, address))).to.equal(taken[kind]);
      });

      it("are verified by one of two accounts that try at the same time", async () => {
        const { address, first, second } = await claimTwice(kind);
        const codes = [await codeFor(first.id, kind, address), await codeFor(second.id, kind, address)];

        const outcomes = await Promise.all(codes.map((code) => verify(kind, address, code)));

        expect(outcomes.toSorted()).to.deep.equal(["CODE_INVALID", "ok"]);
        expect(await verifiedBy(kind, address)).to.have.length(1);
      });

      it("are not verified for a stranger by the owner of the address, who is logged in to another account", async () => {
        const { address, first, second } = await claimTwice(kind);
        const [strangers, own] = [await codeFor(first.id, kind, address), await codeFor(second.id, kind, address)];
        const owner = { ...device, userId: second.id };

        const misled = await outcomeOf(verifyAddress(`verify_${kind}`, address, strangers, owner));
        const verified = await outcomeOf(verifyAddress(`verify_${kind}`, address, own, owner));

        expect([misled, verified]).to.deep.equal(["CODE_INVALID", "ok"]);
        expect(await verifiedBy(kind, address)).to.deep.equal([second.id]);
      });

      it("get a code of their own, which names the account; a request with a token is for its account", async () => {
        const { address, first, second } = await claimTwice(kind);
        await messagesTo(address, 2);
        await requestVerification(kind === "email" ? { email: address } : { mobile: address }, {
          ...device,
          userId: second.id,
        });
        const [newest] = await messagesTo(address, 3);
        expect(newest?.text).to.include(`@${second.username}`).and.not.include(first.username);

        expect(await verify(kind, address, codeIn(newest!))).to.equal("ok");
        expect(await verifiedBy(kind, address)).to.deep.equal([second.id]);
      });
    });

  it("are answered by the first account until one verifies the address, in logins and resets", async () => {
    const { address, first, second } = await claimTwice("email");
    await messagesTo(address, 2);
    expect(await loggedInAs(address)).to.equal(first.id);
    await requestPasswordReset(address, device);
    expect((await messagesTo(address, 3))[0]?.text).to.include(`@${first.username}`);

    await verify("email", address, await codeFor(second.id, "email", address));

    expect(await loggedInAs(address)).to.equal(second.id);
    expect(await loggedInAs(first.username)).to.equal(first.id);
    await requestPasswordReset(address, device);
    expect((await messagesTo(address, 4))[0]?.text).to.include(`@${second.username}`);
  });

  it("that lapsed get no messages", async () => {
    const { address, first, second } = await claimTwice("email");
    await messagesTo(address, 2);
    await verify("email", address, await codeFor(second.id, "email", address));

    await sendAccountMail(first.id, "verify_email");
    await sendAccountMail(first.id, "password_changed");
    await requestVerification({ email: address }, { ...device, userId: first.id });
    await sendAccountMail(second.id, "password_changed");

    const messages = await query<{ user_id: string }>("SELECT user_id FROM mail_outbox WHERE recipient = $1", [
      address,
    ]);
    expect(messages.filter(({ user_id }) => user_id === first.id)).to.have.length(1);
    expect(messages.filter(({ user_id }) => user_id === second.id)).to.have.length(2);
  });
});
