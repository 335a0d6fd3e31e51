import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { configureSettings, loadSettings, setting } from "#shared/domain/base/settings/settings.ts";
import { pruneCodes } from "#shared/domain/identity/accounts/prune-codes.ts";
import { register } from "#shared/domain/identity/accounts/register.ts";
import { type CodePurpose, issueCode } from "#shared/domain/identity/accounts/verification-code.ts";
import { verifyAddress } from "#shared/domain/identity/accounts/verify-address.ts";
import { daysMs } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { neighbourhoodOf } from "#shared/kernel/network-of.ts";
import { messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { useClock } from "#shared/testing/use-clock.ts";

const bonus = 100;
let numbers = 0;

describe("the signup bonus", () => {
  useService();
  const clock = useClock();

  beforeEach(() =>
    changeSettings(adminCaller(), { signup_bonus_requires_verification: true, signup_bonuses_per_network_per_day: 3 }),
  );
  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });

  async function newcomer(ip = "127.0.0.1") {
    numbers += 1;
    const username = `b${newId().replaceAll("-", "").slice(-20)}`;
    const mobile = `+63${String(process.pid).padStart(7, "0")}${String(numbers).padStart(3, "0")}`;
    const form = { full_name: "Ada", username, email: `${username}@example.com`, mobile, password: "correct horse" };
    const { user } = await register(form, { ip, userAgent: "tests" });
    // A code that is sent later would replace the test's.
    await messagesTo(form.email);
    await messagesTo(mobile);
    return { id: user.id, email: form.email, mobile, registeredWith: user.wallet.balance };
  }
  type Newcomer = Awaited<ReturnType<typeof newcomer>>;

  /** Each test has networks of its own, because they are counted by day. */
  const newNetwork = () => {
    numbers += 1;
    return `10.${Math.floor(numbers / 250)}.${numbers % 250}`;
  };

  async function verify({ id, email, mobile }: Newcomer, purpose: CodePurpose, ip: string) {
    const address = purpose === "verify_email" ? email : mobile;
    const code = await inTransaction((tx) => issueCode(tx, id, purpose, address));
    await verifyAddress(purpose, address, code, { ip });
  }
  const balanceOf = async ({ id }: Newcomer) =>
    (await queryOne<{ balance: number }>("SELECT balance FROM wallets WHERE user_id = $1", [id]))?.balance;

  it("is required to wait for a verified address in production, and is credited at once in development", () => {
    const modes = [true, false].map((production) => {
      configureSettings({ production });
      return [setting("signup_bonus_requires_verification"), setting("signup_bonuses_per_network_per_day")];
    });
    expect(modes).to.deep.equal([
      [true, 50],
      [false, 0],
    ]);
  });

  it("is credited when the first address is verified, and not again for the second", async () => {
    const ada = await newcomer();
    const ip = `${newNetwork()}.1`;
    expect(ada.registeredWith).to.equal(0);

    await verify(ada, "verify_mobile", ip);
    expect(await balanceOf(ada)).to.equal(bonus);

    await verify(ada, "verify_email", ip);
    expect(await balanceOf(ada)).to.equal(bonus);
  });

  it("is credited once when both addresses are verified at the same time", async () => {
    const ada = await newcomer();
    const ip = `${newNetwork()}.1`;
    await Promise.all([verify(ada, "verify_email", ip), verify(ada, "verify_mobile", ip)]);
    expect(await balanceOf(ada)).to.equal(bonus);
  });

  it("is not credited again to an account that got it at registration", async () => {
    await changeSettings(adminCaller(), { signup_bonus_requires_verification: false });
    const ada = await newcomer(`${newNetwork()}.1`);
    await changeSettings(adminCaller(), { signup_bonus_requires_verification: true });
    await verify(ada, "verify_email", `${newNetwork()}.1`);
    expect([ada.registeredWith, await balanceOf(ada)]).to.deep.equal([bonus, bonus]);
  });

  it("is earned once by an address, whichever account verifies it and whatever became of the first", async () => {
    const [ada, eve] = [await newcomer(), await newcomer()];
    const ip = `${newNetwork()}.1`;
    await verify(ada, "verify_email", ip);
    await query("UPDATE users SET email = NULL, email_verified_at = NULL, status = 'deleted' WHERE id = $1", [ada.id]);
    await query("UPDATE users SET email = $2 WHERE id = $1", [eve.id, ada.email]);

    await verify({ ...eve, email: ada.email }, "verify_email", ip);
    expect(await balanceOf(eve)).to.equal(0);

    // Her number has earned nothing yet.
    await verify(eve, "verify_mobile", ip);
    expect(await balanceOf(eve)).to.equal(bonus);
  });

  it("is earned by a network as often a day as the settings say, also at the same time", async () => {
    const network = newNetwork();
    const people = await Promise.all(Array.from({ length: 6 }, () => newcomer()));

    await Promise.all(people.map((person, i) => verify(person, "verify_email", `${network}.${i + 1}`)));

    const rich = async () => (await Promise.all(people.map(balanceOf))).filter((balance) => balance === bonus).length;
    expect(await rich()).to.equal(3);
    clock.forward(daysMs(1));
    const late = await newcomer();
    await verify(late, "verify_email", `${network}.9`);
    expect(await balanceOf(late)).to.equal(bonus);
  });

  it("keeps no counts of past days", async () => {
    const ada = await newcomer();
    await verify(ada, "verify_email", `${newNetwork()}.1`);
    clock.forward(daysMs(3));
    while ((await pruneCodes()) > 0);
    expect(await query("SELECT 1 FROM signup_bonus_networks")).to.deep.equal([]);
  });
});

describe("the neighbourhood of an address", () => {
  for (const [ip, neighbourhood] of [
    ["192.0.2.77", "192.0.2"],
    ["::ffff:192.0.2.77", "192.0.2"],
    ["2001:db8:1:2f3::1", "2001:db8:1:02"],
    ["2001:db8:1:2ff:8::1", "2001:db8:1:02"],
    ["2001:db8:1:3f3::1", "2001:db8:1:03"],
    ["2001:db8::1", "2001:db8:0:00"],
  ] as const)
    it(`${ip} is ${neighbourhood}`, () => expect(neighbourhoodOf(ip)).to.equal(neighbourhood));
});
