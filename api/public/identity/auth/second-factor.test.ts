import { expect } from "chai";
import { generateSync } from "otplib";
import { query, queryOne } from "#shared/db/query.ts";
import { configureCodeTries } from "#shared/domain/identity/second-factor/code-tries.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { noEngine, useService } from "#shared/testing/service.ts";

describe("the second factor of a user", () => {
  const service = useService();
  const scene = useOpenId();
  const call = ({ token }: BuiltUser, method: string, path: string, body?: object) =>
    service.call(method, `/users/me/second-factor${path}`, { token, ...(body && { body }) });
  const logIn = async ({ username, password }: BuiltUser, code?: string) =>
    (await service.call("post", "/auth/login", { body: { identifier: username, password, ...(code && { code }) } }))
      .body.error?.code ?? "ok";
  /** A code of the current step of 30 seconds, or of the next one, which is accepted as well. */
  const codeAt = (secret: string, step: 0 | 1) =>
    generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + step * 30 });

  async function enroll(user: BuiltUser) {
    const { secret } = (await call(user, "post", "", { password: user.password })).body.data;
    const confirmed = await call(user, "post", "/confirm", { code: codeAt(secret, 0) });
    return { secret: secret as string, codes: confirmed.body.data.recovery_codes as string[] };
  }

  it("is asked for at logins by password once it is confirmed, and each code works once", async () => {
    const ada = await buildUser();
    const { secret, codes } = await enroll(ada);
    const now = codeAt(secret, 1);

    expect([await logIn(ada), await logIn(ada, "000000"), await logIn(ada, now), await logIn(ada, now)]).to.deep.equal([
      "MFA_REQUIRED",
      "INVALID_CREDENTIALS",
      "ok",
      "INVALID_CREDENTIALS",
    ]);
    expect([await logIn(ada, codes[0]), await logIn(ada, codes[0])]).to.deep.equal(["ok", "INVALID_CREDENTIALS"]);
    expect((await call(ada, "get", "")).body.data).to.deep.equal({ enabled: true, recovery_codes_left: 9 });
  });

  it("isn't asked for before it is confirmed", async () => {
    const ada = await buildUser();
    await call(ada, "post", "", { password: ada.password });
    expect([await logIn(ada), (await call(ada, "get", "")).body.data.enabled]).to.deep.equal(["ok", false]);
  });

  it("isn't asked for at logins with a provider", async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId([{ name: "google", issuer, clientIds: [clientId] }]);
    const ada = await buildUser();
    const proof = async (subject: string) => {
      const nonce = newId();
      return { id_token: await scene.provider.token(subject, nonce), nonce };
    };
    await service.call("post", "/users/me/identities/google", { token: ada.token, body: await proof(ada.id) });
    await enroll(ada);

    const entered = await service.call("post", "/auth/google", { body: await proof(ada.id) });

    configureOpenId([]);
    expect([entered.status, entered.body.data.user.id]).to.deep.equal([200, ada.id]);
  });

  it("is neither set up nor replaced by someone who has only a token", async () => {
    const ada = await buildUser();
    const enrolling = async (tried: string) =>
      (await call(ada, "post", "", { password: tried })).body.error?.code ?? "ok";

    const guessed = await enrolling("a wrong password");
    await enroll(ada);

    expect([guessed, await enrolling("a wrong password"), await enrolling(ada.password)]).to.deep.equal([
      "INVALID_CREDENTIALS",
      "INVALID_CREDENTIALS",
      "CONFLICT",
    ]);
  });

  it("needs a password to protect", async () => {
    const ada = await buildUser();
    await query("UPDATE users SET password_hash = NULL WHERE id = $1", [ada.id]);
    expect((await call(ada, "post", "", { password: ada.password })).body.error.code).to.equal("CONFLICT");
  });

  it("is disabled by a recovery code, not by a wrong one", async () => {
    const ada = await buildUser();
    const { codes } = await enroll(ada);

    const wrong = await call(ada, "post", "/disable", { code: "000000" });
    const stillAsked = await logIn(ada);
    const right = await call(ada, "post", "/disable", { code: codes[1]! });

    expect([wrong.body.error.code, stillAsked, right.status, await logIn(ada)]).to.deep.equal([
      "CODE_INVALID",
      "MFA_REQUIRED",
      200,
      "ok",
    ]);
    expect((await call(ada, "get", "")).body.data).to.deep.equal({ enabled: false, recovery_codes_left: 0 });
  });

  it("doesn't cancel a deletion, or open a session, without the code", async () => {
    const ada = await buildUser();
    await enroll(ada);
    await query(
      "UPDATE users SET status = 'deletion_pending', deletion_due_at = now() + interval '1 day' WHERE id = $1",
      [ada.id],
    );
    const sessions = () => queryOne("SELECT count(*)::int AS count FROM sessions WHERE user_id = $1", [ada.id]);
    const before = await sessions();

    expect([await logIn(ada), await logIn(ada, "000000")]).to.deep.equal(["MFA_REQUIRED", "INVALID_CREDENTIALS"]);
    expect(await sessions()).to.deep.equal(before);
    expect(await queryOne("SELECT status FROM users WHERE id = $1", [ada.id])).to.deep.equal({
      status: "deletion_pending",
    });
  });

  it("stops after 5 wrong codes for the account, also for the right one", async () => {
    const ada = await buildUser();
    const { codes } = await enroll(ada);
    configureCodeTries({ enabled: true });
    try {
      const wrong: string[] = [];
      for (let tries = 0; tries < 5; tries += 1) wrong.push(await logIn(ada, "000000"));
      expect(wrong).to.deep.equal(Array(5).fill("INVALID_CREDENTIALS"));
      expect(await logIn(ada, codes[0])).to.equal("RATE_LIMITED");
    } finally {
      configureCodeTries({ enabled: false });
    }
    expect(await logIn(ada, codes[0])).to.equal("ok");
  });

  it("is stored encrypted, and erased with the account", async () => {
    const ada = await buildUser();
    const { secret } = await enroll(ada);
    const stored = () =>
      queryOne<{ sealed: string | null; codes: number }>(
        `SELECT totp_secret_sealed AS sealed,
           (SELECT count(*)::int FROM user_recovery_codes WHERE user_id = users.id) AS codes
         FROM users WHERE id = $1`,
        [ada.id],
      );
    const kept = await stored();
    await query(
      "UPDATE users SET status = 'deletion_pending', deletion_due_at = now() - interval '1 day' WHERE id = $1",
      [ada.id],
    );
    await eraseUser(ada.id, noEngine);

    expect(kept!.sealed).to.match(/^v2\./);
    expect(kept!.sealed).not.to.include(secret);
    expect(kept!.codes).to.equal(10);
    expect(await stored()).to.deep.equal({ sealed: null, codes: 0 });
  });
});
