import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { codeIn, messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller, outcomeOf } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { sendAccountMail } from "./account-mail.ts";
import { configureMessageLimits, maySend, messagesPerDay, messagesPerHour } from "./message-limits.ts";
import { register } from "./register.ts";
import { requestPasswordReset, requestVerification } from "./request-message.ts";

let numbers = 0;
const newNumber = (): string => {
  numbers += 1;
  return `+64${String(process.pid).padStart(7, "0")}${String(numbers).padStart(3, "0")}`;
};
const from = (network: number) => ({ ip: `203.0.113.${network}` });
const device = { ...from(1), userAgent: "tests" };

describe("limits of messages", () => {
  useService();

  beforeEach(() => configureMessageLimits({ enabled: true }));
  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });
  after(() => configureMessageLimits({ enabled: false }));

  const enroll = (fields: object = {}) => {
    const username = `m${newId().replaceAll("-", "").slice(-20)}`;
    const form = { full_name: "Ada", username, email: `${username}@example.com`, password: "correct horse", ...fields };
    return register(form, device);
  };
  const sentTo = async (recipient: string) =>
    (await query("SELECT 1 FROM mail_outbox WHERE recipient = $1", [recipient])).length;

  /** What asks for a message to an address, each from a network. */
  const requests = {
    "resend a code to an email address": (address: string, ip: object) =>
      requestVerification({ email: `${address}@example.com` }, ip as { ip: string }),
    "resend a code to a number": (address: string, ip: object) =>
      requestVerification({ mobile: `+65${address}` }, ip as { ip: string }),
    "ask for a reset link": (address: string, ip: object) =>
      requestPasswordReset(`${address}@example.com`, ip as { ip: string }),
  };

  for (const [name, ask] of Object.entries(requests))
    it(`${name}: a network uses up half of what a recipient gets in an hour`, async () => {
      const address = newNumber().slice(3);
      const outcomes: string[] = [];
      for (const network of [1, 2, 3])
        for (let asked = 0; asked <= messagesPerHour.fromNetwork; asked += 1)
          outcomes.push(await outcomeOf(ask(address, from(network))));

      const [five, refused] = [Array(messagesPerHour.fromNetwork).fill("ok"), ["RATE_LIMITED"]];
      expect(outcomes.slice(0, 12)).to.deep.equal([...five, ...refused, ...five, ...refused]);
      expect(new Set(outcomes.slice(12))).to.deep.equal(new Set(refused));
    });

  it("count registrations: one more is created, but its code is not sent", async () => {
    const mobile = newNumber();
    for (let asked = 0; asked < messagesPerHour.fromNetwork; asked += 1) await requestVerification({ mobile }, device);

    const { user } = await enroll({ mobile });

    await messagesTo(user.email!);
    expect(await sentTo(mobile)).to.equal(0);
    await requestVerification({ mobile }, from(2));
    expect(codeIn((await messagesTo(mobile))[0]!)).to.match(/^\d{6}$/);
  });

  it("hold for all recipients that one network asks for", async () => {
    const outcomes: string[] = [];
    for (let asked = 0; asked < 61; asked += 1)
      outcomes.push(await outcomeOf(requestVerification({ mobile: newNumber() }, from(9))));
    expect(outcomes.indexOf("RATE_LIMITED")).to.equal(60);
  });

  it("limit all messages to an account in a day", async () => {
    const ada = await buildUser();
    for (let sent = 0; sent < 2 * messagesPerDay; sent += 1) expect(await maySend("sms", ada.id)).to.equal(true);
    await sendAccountMail(ada.id, "verify_email");
    await sendAccountMail(ada.id, "reset_password");
    expect(await sentTo(ada.email)).to.equal(0);
  });

  it("stop the whole service at the cap of the settings: codes and links, not notices", async () => {
    await changeSettings(adminCaller(), { texts_per_day: 1, emails_per_day: 2 });
    const mobile = newNumber();
    const ada = await buildUser({ mobile });

    for (let round = 0; round < 3; round += 1) {
      await sendAccountMail(ada.id, "verify_mobile");
      await sendAccountMail(ada.id, "reset_password");
    }
    await sendAccountMail(ada.id, "password_changed");

    expect([await sentTo(mobile), await sentTo(ada.email)]).to.deep.equal([1, 3]);
  });
});
