import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { issueReset } from "#shared/domain/identity/accounts/password-reset.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useBrowser } from "#shared/testing/clients/browser.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { codeIn, messagesTo, tokenIn, wrongFor } from "#shared/testing/mailbox.ts";
import { adminCaller, callerOf } from "#shared/testing/people.ts";
import { type Answer, noEngine, useService } from "#shared/testing/service.ts";
import { makeRateLimits } from "../../../http/rate-limit.ts";
import { socialApi } from "../../../social-api.ts";
import { authRoutes } from "./auth.routes.ts";

const api = socialApi({ actors: noEngine });
const fresh = "a quite different battery";
const shape = ({ status, body, headers }: Answer) => ({ status, body, headers: [...headers.keys()].sort() });

describe("codes by REST", () => {
  const service = useService();
  const post = (path: string, body: object) => service.call("post", path, { body });

  it("verify the email address and the mobile number of a registration", async () => {
    const username = `c${newId().replaceAll("-", "").slice(-20)}`;
    const [email, mobile] = [`${username}@example.com`, `+9198${String(Date.now() % 1e8).padStart(8, "0")}`];
    const password = "correct horse battery";
    const form = {
      full_name: "Ada",
      username,
      email,
      mobile,
      password,
      confirm_password: password,
      terms_accepted: true,
    };
    const { accessToken } = (await post("/auth/register", form)).body.data;
    const me = async () => (await service.call("get", "/auth/me", { token: accessToken })).body.data;
    expect(await me()).to.include({ email_verified: false, mobile_verified: false });
    const code = codeIn((await messagesTo(email))[0]!);
    const right = await post("/auth/verify-email", { email: email.toUpperCase(), code });
    expect([right.status, right.body]).to.deep.equal([200, { success: true, data: {} }]);
    expect(await me()).to.include({ email_verified: true, mobile_verified: false });
    await post("/auth/verify-mobile", { mobile, code: codeIn((await messagesTo(mobile))[0]!) });
    expect(await me()).to.include({ email_verified: true, mobile_verified: true });
  });

  it("fail with the same error, whatever is wrong", async () => {
    const [waiting, done] = [await buildUser(), await buildUser()];
    await post("/auth/resend-verification", { email: waiting.email });
    const code = codeIn((await messagesTo(waiting.email))[0]!);
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [done.id]);
    const answers = await Promise.all(
      [waiting.email, done.email, `nobody.${done.email}`].map((email) =>
        post("/auth/verify-email", { email, code: wrongFor(code) }),
      ),
    );
    expect([answers[0]?.status, answers[0]?.body.error.code]).to.deep.equal([400, "CODE_INVALID"]);
    for (const answer of answers) expect(shape(answer)).to.deep.equal(shape(answers[0]!));
  });

  it("are 6 digits and nothing else", async () => {
    for (const code of ["12345", "1234567", "12345a", 123456, " 123456", "１２３４５６"]) {
      const { status, body } = await post("/auth/verify-email", { email: "ada@example.com", code });
      expect([status, body.error.code], String(code)).to.deep.equal([400, "VALIDATION_ERROR"]);
    }
  });

  it("can be resent to an address or a number, with the same answer for all", async () => {
    const [waiting, done] = [await buildUser(), await buildUser()];
    await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [done.id]);
    const asked = [
      { email: waiting.email },
      { email: done.email },
      { email: `x.${done.email}` },
      { mobile: "+919812345678" },
    ];
    const answers = await Promise.all(asked.map((body) => post("/auth/resend-verification", body)));
    expect([answers[0]?.status, answers[0]?.body]).to.deep.equal([200, { success: true, data: {} }]);
    for (const answer of answers) expect(shape(answer)).to.deep.equal(shape(answers[0]!));
    for (const body of [{}, { email: waiting.email, mobile: "+919812345678" }])
      expect((await post("/auth/resend-verification", body)).body.error.code).to.equal("VALIDATION_ERROR");
  });

  it("are limited by the caller's address, separately for each operation", async () => {
    const limits = makeRateLimits({ enabled: true });
    const guarded = authRoutes().filter(({ path }) => /verif|forgot|reset/.test(path));
    expect(guarded).to.have.length(5);
    for (const route of guarded) {
      expect(route.rateLimit?.by).to.equal("ip");
      const { count } = limits.of(api, route);
      for (let call = 0; call < route.rateLimit!.points; call += 1) await count({ ip: "192.0.2.1" }, null);
      const refused = await count({ ip: "192.0.2.1" }, callerOf(await buildUser())).catch((error) => error.code);
      expect(refused, route.path).to.equal("RATE_LIMITED");
      await count({ ip: "192.0.2.2" }, null);
    }
  });

  it("count all addresses of one IPv6 host as one", async () => {
    const limits = makeRateLimits({ enabled: true });
    const route = authRoutes().find(({ path }) => path === "/auth/register")!;
    const { count } = limits.of(api, route);
    const take = (ip: string) => count({ ip }, null);
    for (let call = 1; call <= route.rateLimit!.points; call += 1) await take(`2001:db8:1:2::${call.toString(16)}`);
    expect(await take("2001:db8:1:2:ffff::1").catch((error) => error.code)).to.equal("RATE_LIMITED");
    await take("2001:db8:1:3::1");
  });
});

describe("a new password by REST", () => {
  const service = useService();
  const post = (path: string, body: object) => service.call("post", path, { body });

  it("is set with the token in the email", async () => {
    const ada = await buildUser();
    const asked = await post("/auth/forgot-password", { email: ada.email.toUpperCase() });
    expect([asked.status, asked.body]).to.deep.equal([200, { success: true, data: {} }]);
    const token = tokenIn((await messagesTo(ada.email))[0]!);
    const weak = await post("/auth/reset-password", { token, password: "password1" });
    expect([weak.status, weak.body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
    expect(weak.body.error.details[0].field).to.equal("password");
    expect((await post("/auth/reset-password", { token, password: fresh })).status).to.equal(200);
    const again = await post("/auth/reset-password", { token, password: fresh });
    expect([again.status, again.body.error.code]).to.deep.equal([400, "CODE_INVALID"]);
    expect((await service.call("get", "/auth/me", { token: ada.token })).status).to.equal(401);
    expect((await post("/auth/login", { identifier: ada.email, password: fresh })).status).to.equal(200);
  });

  it("is requested with the same answer for all", async () => {
    const ada = await buildUser();
    const [known, unknown] = await Promise.all([
      post("/auth/forgot-password", { email: ada.email }),
      post("/auth/forgot-password", { email: `nobody.${ada.email}` }),
    ]);
    expect(shape(unknown)).to.deep.equal(shape(known));
  });
});

describe("the page behind the link in a reset email", () => {
  const service = useService();
  const browser = useBrowser();
  const send = (fields: Record<string, string>) =>
    fetch(`${service.url}/reset-password`, { method: "POST", body: new URLSearchParams(fields) });

  it("changes the password in a browser without scripts, and says when the link is no longer valid", async () => {
    const ada = await buildUser();
    await service.call("post", "/auth/forgot-password", { body: { email: ada.email } });
    const [mail] = await messagesTo(ada.email);
    const link = /https?:\S+/.exec(mail!.text)![0];
    const page = await browser.current.newPage({ javaScriptEnabled: false });
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) complaints.push(message.text());
    });
    const fill = async (password: string, repeated: string) => {
      await page.getByLabel("New password").fill(password);
      await page.getByLabel("Confirm password").fill(repeated);
      await page.getByRole("button").click();
    };
    await page.goto(link);
    await fill(fresh, `${fresh}!`);
    await page.getByRole("alert").filter({ hasText: "The passwords don't match." }).waitFor();
    await fill("password1", "password1");
    await page.getByRole("alert").filter({ hasText: "too common" }).waitFor();
    await fill(fresh, fresh);
    await page.getByRole("heading", { name: "Your password was changed" }).waitFor();
    await page.goto(link);
    await fill(fresh, fresh);
    await page.getByRole("heading", { name: "This link is no longer valid" }).waitFor();
    // The browser logs the status 400 of the error page.
    expect(complaints.filter((text) => !text.includes("status of 400"))).to.deep.equal([]);
    await page.close();
    const login = { identifier: ada.email, password: fresh };
    expect((await service.call("post", "/auth/login", { body: login })).status).to.equal(200);
  });

  it("allows no inline or foreign content, is never cached, and escapes the token", async () => {
    const response = await fetch(`${service.url}/reset-password?token=${encodeURIComponent('"><script>')}`);
    const policy = response.headers.get("content-security-policy");
    expect(policy).to.include("default-src 'none'").and.include("form-action 'self'").and.not.include("unsafe");
    expect(policy).not.to.include("script-src");
    expect(response.headers.get("cache-control")).to.equal("no-store");
    expect(response.headers.get("referrer-policy")).to.equal("no-referrer");
    expect(await response.text())
      .to.include("&quot;&gt;&lt;script&gt;")
      .and.not.include('"><script>');
    expect((await fetch(`${service.url}/docs/assets/form.css`)).status).to.equal(200);
  });

  it("speaks the reader's language, with its errors", async () => {
    const headers = { "accept-language": "ar" };
    const shown = await fetch(`${service.url}/reset-password?token=x`, { headers });
    expect([shown.headers.get("content-language"), shown.headers.get("vary")]).to.deep.equal(["ar", "Accept-Language"]);
    expect(await shown.text())
      .to.include('<html lang="ar" dir="rtl">')
      .and.include("اختر كلمة مرور جديدة");
    const body = new URLSearchParams({ token: "x", password: "short", repeated: "short" });
    const refused = await fetch(`${service.url}/reset-password`, { method: "POST", headers, body });
    expect(/role="alert">(.*?)</.exec(await refused.text())?.[1]).to.match(/[\u0600-\u06ff]{3}/);
  });

  it("rejects anything but its own form, and changes nothing", async () => {
    const ada = await buildUser();
    const token = await inTransaction((tx) => issueReset(tx, ada.id));
    expect((await fetch(`${service.url}/reset-password`)).status).to.equal(400);
    expect((await fetch(`${service.url}/reset-password?token=a&token=b`)).status).to.equal(400);
    const statuses = [
      await send({}),
      await send({ token }),
      await send({ token, password: fresh }),
      await send({ token, password: "short", repeated: "short" }),
      await send({ token: "x".repeat(200), password: fresh, repeated: fresh }),
      await send({ token: "x".repeat(43), password: fresh, repeated: fresh }),
    ].map(({ status }) => status);
    expect(statuses).to.deep.equal([400, 400, 400, 400, 400, 400]);
    await changeSettings(adminCaller(), { maintenance_mode: true });
    try {
      expect((await send({ token, password: fresh, repeated: fresh })).status).to.equal(503);
    } finally {
      await changeSettings(adminCaller(), { maintenance_mode: false });
    }
    expect((await send({ token, password: fresh, repeated: fresh })).status).to.equal(200);
  });
});
