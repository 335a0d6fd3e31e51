import { expect } from "chai";
import { query, queryOne } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";
import { type Registration, register } from "./register.ts";

const device = { ip: "127.0.0.1", userAgent: "tests" };
let people = 0;
const somebody = (fields: Partial<Registration> = {}): Registration => {
  people += 1;
  const username = `r${newId().slice(-12)}${people}`.replace("-", "");
  return { full_name: "Ada", username, email: `${username}@example.com`, password: "correct horse", ...fields };
};
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => "done",
    (error: { code?: string }) => error.code ?? String(error),
  );

describe("register", () => {
  useService();

  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });

  it("creates user, wallet, bonus and session", async () => {
    const form = somebody({ mobile: `+4915${Date.now()}`.slice(0, 15), date_of_birth: "1990-12-10" });
    const { user, accessToken, refreshToken } = await register(form, device);
    expect(user).to.include({ username: form.username, email: form.email, mobile: form.mobile, status: "active" });
    expect(user).to.include({
      date_of_birth: "1990-12-10",
      email_verified: false,
      is_online: false,
      current_room: null,
    });
    expect(user.wallet).to.deep.equal({ balance: 100 });
    expect(accessToken.split(".")).to.have.length(3);
    expect(refreshToken).to.match(/^[\w-]{43}$/);
    const entries = await query("SELECT type, amount, balance_after FROM ledger_entries WHERE user_id = $1", [user.id]);
    expect(entries).to.deep.equal([{ type: "signup_bonus", amount: 100, balance_after: 100 }]);
  });

  it("stores neither password nor refresh token", async () => {
    const form = somebody();
    const { user, refreshToken } = await register(form, device);
    const row = await queryOne<{ user: string; tokens: string }>(
      `SELECT u::text AS user, (SELECT string_agg(t::text, ' ') FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
       WHERE s.user_id = u.id) AS tokens FROM users u WHERE id = $1`,
      [user.id],
    );
    expect(row?.user).to.include("$argon2id$").and.not.include(form.password);
    expect(row?.tokens).not.to.include(refreshToken);
  });

  it("credits the bonus of the settings, or none", async () => {
    await changeSettings(adminCaller(), { signup_bonus: 7 });
    expect((await register(somebody(), device)).user.wallet.balance).to.equal(7);
    await changeSettings(adminCaller(), { signup_bonus: 0 });
    const { user } = await register(somebody(), device);
    expect(user.wallet.balance).to.equal(0);
    expect(await query("SELECT 1 FROM ledger_entries WHERE user_id = $1", [user.id])).to.deep.equal([]);
  });

  it("reports what is taken", async () => {
    const mobile = "+919876500001";
    const ada = await buildUser({ mobile });
    expect(await codeOf(register(somebody({ username: ada.username }), device))).to.equal("USERNAME_TAKEN");
    expect(await codeOf(register(somebody({ email: ada.email }), device))).to.equal("EMAIL_TAKEN");
    expect(await codeOf(register(somebody({ mobile }), device))).to.equal("MOBILE_TAKEN");
  });

  for (const [field, code] of [
    ["username", "USERNAME_TAKEN"],
    ["email", "EMAIL_TAKEN"],
    ["mobile", "MOBILE_TAKEN"],
  ] as const)
    it(`lets one of many concurrent registrations have a ${field}`, async () => {
      const contested = {
        username: `race${Date.now()}`,
        email: `race${Date.now()}@example.com`,
        mobile: "+919876500002",
      };
      // No more than the hash gate takes, so that the unique key is what decides.
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => codeOf(register(somebody({ [field]: contested[field] }), device))),
      );
      expect(answers.filter((answer) => answer === "done")).to.have.length(1);
      expect(answers.filter((answer) => answer === code)).to.have.length(29);
    });

  it("creates one of 50 with one username, and leaves no wallet or session of the others", async () => {
    const username = `flood${Date.now()}`;
    const count = () =>
      queryOne("SELECT (SELECT count(*) FROM wallets) AS wallets, (SELECT count(*) FROM sessions) AS sessions");
    const before = (await count()) as { wallets: number; sessions: number };
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => codeOf(register(somebody({ username }), device))),
    );
    expect(answers.filter((answer) => answer === "done")).to.have.length(1);
    expect(new Set(answers)).to.have.all.keys("done", "USERNAME_TAKEN", "RATE_LIMITED");
    expect(await count()).to.deep.equal({ wallets: before.wallets + 1, sessions: before.sessions + 1 });
  });

  for (const [why, fields, field] of [
    ["a reserved name", { username: "ad_min" }, "username"],
    ["a common password", { password: "Password1" }, "password"],
    ["a day that is none", { date_of_birth: "2001-02-29" }, "date_of_birth"],
    ["a birthday to come", { date_of_birth: "2999-01-01" }, "date_of_birth"],
  ] as const)
    it(`refuses ${why}`, async () => {
      const failure = await register(somebody(fields), device).catch((error: unknown) => error);
      expect(failure).to.have.property("code", "VALIDATION_ERROR");
      expect(failure).to.have.nested.property("details[0].field", field);
    });

  it("requires the minimum age of the settings, to the day", async () => {
    const today = new Date();
    const yearsAgo = (years: number, daysLater = 0) =>
      new Date(Date.UTC(today.getUTCFullYear() - years, today.getUTCMonth(), today.getUTCDate() + daysLater))
        .toISOString()
        .slice(0, 10);
    expect(await codeOf(register(somebody({ date_of_birth: yearsAgo(13, 1) }), device))).to.equal("VALIDATION_ERROR");
    expect(await codeOf(register(somebody({ date_of_birth: yearsAgo(13, -1) }), device))).to.equal("done");
    await changeSettings(adminCaller(), { minimum_age: 18 });
    expect(await codeOf(register(somebody({ date_of_birth: yearsAgo(17) }), device))).to.equal("VALIDATION_ERROR");
  });
});
