import { expect } from "chai";
import { generateSync } from "otplib";
import { query, queryOne } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { configureCodeTries } from "#shared/domain/identity/second-factor/code-tries.ts";
import { type BuiltAdmin, buildAdmin } from "#shared/testing/admins.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

describe("the second factor of an administrator", () => {
  const service = useService();
  const call = ({ token }: BuiltAdmin, method: string, path: string, body?: object) =>
    service.admin(method, path, { token, ...(body && { body }) });
  const logIn = async ({ email, password }: BuiltAdmin, code?: string) =>
    (await service.admin("post", "/login", { body: { email, password, ...(code && { code }) } })).body.error?.code ??
    "ok";
  /** A code of the current step of 30 seconds, or of the next one, which is accepted as well. */
  const codeAt = (secret: string, step: 0 | 1) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + step * 30 });

  async function enroll(admin: BuiltAdmin) {
    const { secret, otpauth_url, qr_code } = (await call(admin, "post", "/mfa/enroll", { password: admin.password }))
      .body.data;
    const confirmed = await call(admin, "post", "/mfa/confirm", { code: codeAt(secret, 0) });
    return { secret, otpauth_url, qr_code, codes: confirmed.body.data.recovery_codes as string[] };
  }

  it("is required at login once it is confirmed, and each code works once", async () => {
    const admin = await buildAdmin();
    const { secret, otpauth_url, qr_code, codes } = await enroll(admin);
    const now = codeAt(secret, 1);

    expect(otpauth_url).to.match(/^otpauth:\/\/totp\//);
    expect(qr_code).to.match(/^data:image\/png;base64,/);
    expect([
      await logIn(admin),
      await logIn(admin, "000000"),
      await logIn(admin, now),
      await logIn(admin, now),
    ]).to.deep.equal(["MFA_REQUIRED", "INVALID_CREDENTIALS", "ok", "INVALID_CREDENTIALS"]);
    expect([await logIn(admin, codes[0]), await logIn(admin, codes[0])]).to.deep.equal(["ok", "INVALID_CREDENTIALS"]);
    const stored = await query("SELECT code_hash FROM admin_recovery_codes WHERE admin_id = $1", [admin.id]);
    expect([codes.length, stored.length]).to.deep.equal([10, 9]);
  });

  it("takes each code once, also from logins at the same moment", async () => {
    const admin = await buildAdmin();
    const { secret, codes } = await enroll(admin);
    const race = async (code: string) =>
      (await Promise.all([1, 2, 3, 4].map(() => logIn(admin, code)))).filter((outcome) => outcome === "ok");

    expect([await race(codes[0]!), await race(codeAt(secret, 1))]).to.deep.equal([["ok"], ["ok"]]);
  });

  it("is neither set up nor replaced by someone who has only a token", async () => {
    const admin = await buildAdmin();
    const enrolling = async (password: string) =>
      (await call(admin, "post", "/mfa/enroll", { password })).body.error?.code ?? "ok";

    const guessed = await enrolling("a wrong password");
    const { codes } = await enroll(admin);

    expect([guessed, await enrolling("a wrong password"), await enrolling(admin.password)]).to.deep.equal([
      "INVALID_CREDENTIALS",
      "INVALID_CREDENTIALS",
      "CONFLICT",
    ]);
    expect(await logIn(admin, codes[0])).to.equal("ok");
  });

  it("has no codes left when another administrator removes it", async () => {
    const [admin, root] = [await buildAdmin(), await buildAdmin()];
    const { codes } = await enroll(admin);

    await call(root, "patch", `/admins/${admin.id}`, { mfa_enabled: false });
    const without = await logIn(admin);
    const again = await enroll(admin);

    expect([without, await logIn(admin, codes[0]), await logIn(admin, again.codes[0])]).to.deep.equal([
      "ok",
      "INVALID_CREDENTIALS",
      "ok",
    ]);
  });

  it("is disabled by a code", async () => {
    const admin = await buildAdmin();
    const { codes } = await enroll(admin);

    const wrong = await call(admin, "post", "/mfa/disable", { code: "000000" });
    const right = await call(admin, "post", "/mfa/disable", { code: codes[1]! });

    expect([wrong.body.error.code, right.body.data.mfa_enabled]).to.deep.equal(["CODE_INVALID", false]);
    expect(await logIn(admin)).to.equal("ok");
  });

  it("can be demanded of all", async () => {
    const admin = await buildAdmin();
    const codeOf = async (path: string) => (await call(admin, "get", path)).body.error?.code ?? "ok";
    await changeSettings(adminCaller(), { admin_mfa_required: true });
    try {
      expect([await codeOf("/gifts"), await codeOf("/me")]).to.deep.equal(["MFA_REQUIRED", "ok"]);
      await enroll(admin);
      expect(await codeOf("/gifts")).to.equal("ok");
    } finally {
      await changeSettings(adminCaller(), { admin_mfa_required: false });
    }
  });

  it("is stored encrypted, for one administrator only", async () => {
    const [admin, other] = [await buildAdmin(), await buildAdmin()];
    const { secret } = await enroll(admin);
    await enroll(other);
    const stored = await queryOne<{ totp_secret: string }>("SELECT totp_secret FROM admins WHERE id = $1", [admin.id]);
    await query("UPDATE admins SET totp_secret = $2, totp_last_step = 0 WHERE id = $1", [
      other.id,
      stored!.totp_secret,
    ]);

    expect(stored!.totp_secret).not.to.include(secret);
    expect(await logIn(other, codeAt(secret, 0)), "with another's secret").to.equal("INVALID_CREDENTIALS");
  });

  it("is encrypted when an earlier release stored it in plain text", async () => {
    const admin = await buildAdmin();
    const { secret } = await enroll(admin);
    await query("UPDATE admins SET totp_secret = $2 WHERE id = $1", [admin.id, secret]);

    expect(await logIn(admin, codeAt(secret, 1))).to.equal("ok");
    const stored = await queryOne<{ totp_secret: string }>("SELECT totp_secret FROM admins WHERE id = $1", [admin.id]);
    expect(stored!.totp_secret).to.match(/^v2\./);
  });

  it("stops after 5 wrong codes for the account, also for the right one", async () => {
    const admin = await buildAdmin();
    const { secret, codes } = await enroll(admin);
    configureCodeTries({ enabled: true });
    try {
      const wrong: string[] = [];
      for (let tries = 0; tries < 5; tries += 1) wrong.push(await logIn(admin, "000000"));

      expect(wrong).to.deep.equal(Array(5).fill("INVALID_CREDENTIALS"));
      expect(await logIn(admin, codeAt(secret, 1))).to.equal("RATE_LIMITED");
      expect(await logIn(admin, codes[0])).to.equal("RATE_LIMITED");
    } finally {
      configureCodeTries({ enabled: false });
    }
    expect(await logIn(admin, codes[0])).to.equal("ok");
  });
});
