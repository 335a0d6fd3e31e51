import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { listMessages } from "#shared/domain/identity/mail/outbox.ts";
import { configureMail } from "#shared/domain/identity/mail/send.ts";
import { requestLoginCode, sendLoginCode } from "#shared/domain/identity/sign-in/phone-code.ts";
import { registry } from "#shared/kernel/metrics.ts";
import { seal } from "#shared/kernel/seal.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { codeIn, messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("logging in by phone", () => {
  const service = useService();
  let numbers = 0;
  const newNumber = () => {
    numbers += 1;
    return `+9198${String(process.pid % 100_000).padStart(5, "0")}${String(numbers).padStart(3, "0")}`;
  };
  const post = (path: string, body: unknown) => service.call("post", path, { body });

  async function codeFor(mobile: string, count = 1): Promise<string> {
    expect((await post("/auth/phone/code", { mobile })).status).to.equal(200);
    return codeIn((await messagesTo(mobile, count))[0]!);
  }

  it("registers the owner of a new number, verified, and logs them in again", async () => {
    const mobile = newNumber();
    const code = await codeFor(mobile);
    const { body } = await post("/auth/phone", { mobile, code });
    expect(body.data).to.include({ is_new: true });
    expect(body.data.user).to.include({ mobile, mobile_verified: true, email: null });
    const again = await post("/auth/phone", { mobile, code: await codeFor(mobile, 2) });
    expect(again.body.data).to.include({ is_new: false });
    expect(again.body.data.user.id).to.equal(body.data.user.id);
  });

  it("logs in the account that has verified the number by other means, and no account that only claims it", async () => {
    const [claimed, verified] = [newNumber(), newNumber()];
    await buildUser({ mobile: claimed });
    const owner = await buildUser({ mobile: verified });
    await query("UPDATE users SET mobile_verified_at = now() WHERE id = $1", [owner.id]);
    const known = await post("/auth/phone", { mobile: verified, code: await codeFor(verified) });
    expect(known.body.data.user.id).to.equal(owner.id);
    expect((await post("/auth/phone", { mobile: claimed, code: await codeFor(claimed) })).body.data.is_new).to.equal(
      true,
    );
  });

  it("accepts each code once, and the newest only", async () => {
    const mobile = newNumber();
    const old = await codeFor(mobile);
    const code = await codeFor(mobile, 2);
    if (old !== code)
      expect((await post("/auth/phone", { mobile, code: old })).body.error.code).to.equal("CODE_INVALID");
    const answers = await Promise.all([1, 2, 3].map(() => post("/auth/phone", { mobile, code })));
    expect(answers.filter(({ status }) => status === 200).length).to.equal(1);
  });

  it("limits guesses", async () => {
    const mobile = newNumber();
    const code = await codeFor(mobile);
    const wrong = code === "000000" ? "000001" : "000000";
    for (let tries = 0; tries < 5; tries += 1)
      expect((await post("/auth/phone", { mobile, code: wrong })).body.error.code).to.equal("CODE_INVALID");
    expect((await post("/auth/phone", { mobile, code })).body.error.code).to.equal("CODE_INVALID");
  });

  it("refuses numbers that can't exist, and countries that get no text messages", async () => {
    for (const mobile of ["+9112345678", "+10000000000", "+999123456789"]) {
      const { status, body } = await post("/auth/phone/code", { mobile });
      expect([status, body.error.details[0].field], mobile).to.deep.equal([400, "mobile"]);
      expect(body.error.details[0].message).to.include("can exist");
    }
    const french = await post("/auth/phone/code", { mobile: "+33612345678" });
    expect(french.body.error.details[0].message).to.include("aren't sent to this country");
  });

  it("shows administrators what is sent and used by day and country, with the price that the carrier tells", async () => {
    const counted = async (name: string) =>
      (await registry.getSingleMetric(name)!.get()).values.find(({ labels }) => labels.country === "PE")?.value;
    const mobile = (n: number) => `+5191234567${n}`;
    const server = createServer((_req, res) => res.end('{"price_class":"high"}'));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      await post("/auth/phone", { mobile: mobile(1), code: await codeFor(mobile(1)) });
      await codeFor(mobile(2));
      const smsWebhook = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
      configureMail({ smsWebhook, keepsUnsent: true });
      await sendLoginCode(seal("login code", mobile(3)), null);
    } finally {
      configureMail({ keepsUnsent: true });
      server.close();
    }

    expect([await counted("hubbub_codes_sent_total"), await counted("hubbub_codes_used_total")]).to.deep.equal([3, 1]);
    const { token } = await buildAdmin(["charts.read"]);
    const sums = { country: "PE", sent: 3, used: 1, used_percent: 33, price_class: "high" };
    const days = await service.admin("get", "/text-messages?country=PE", { token });
    expect(days.body.data.items).to.deep.equal([{ date: new Date().toISOString().slice(0, 10), ...sums }]);
    await query("INSERT INTO text_days (day, country, sent, used) VALUES (now()::date - 8, 'PE', 7, 4)");
    const countries = async (days: number) =>
      (await service.admin("get", `/text-messages/countries?days=${days}`, { token })).body.data.find(
        ({ country }: { country: string }) => country === "PE",
      );
    expect(await countries(7)).to.deep.equal(sums);
    expect(await countries(30)).to.deep.equal({ ...sums, sent: 10, used: 5, used_percent: 50 });
  });

  it("counts by country what is sent and what is used, and stops at the limit of the day", async () => {
    const [before] = await query<{ sent: number; used: number }>(
      "SELECT sent, used FROM text_days WHERE country = 'CL'",
    );
    expect(before).to.equal(undefined);
    const mobile = (n: number) => `+5698765432${n}`;
    await post("/auth/phone", { mobile: mobile(1), code: await codeFor(mobile(1)) });
    const [counted] = await query<{ sent: number; used: number }>(
      "SELECT sent, used FROM text_days WHERE country = 'CL'",
    );
    expect(counted).to.deep.equal({ sent: 1, used: 1 });
    await changeSettings(adminCaller(), { texts_per_country_per_day: 1 });
    try {
      await requestLoginCode(mobile(2), { ip: "127.0.0.1" });
      await sendLoginCode(seal("login code", mobile(2)), null);
      expect(await listMessages(mobile(2))).to.deep.equal([]);
    } finally {
      await changeSettings(adminCaller(), { texts_per_country_per_day: 2000 });
    }
  });
});
