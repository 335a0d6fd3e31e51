import { generateKeyPairSync } from "node:crypto";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { decodeJwt, decodeProtectedHeader } from "jose";
import pg from "pg";
import { query, queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { deleteIdentities } from "#shared/domain/identity/sign-in/provider-tokens.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { resealAll } from "#shared/domain/operations/secrets/reseal.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { createDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { callApi, spawnService, stopServices } from "#shared/testing/spawned-service.ts";
import { until } from "#shared/testing/until.ts";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const secret = {
  teamId: "AB12CD34EF",
  keyId: "CD34EF56GH",
  privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
};

describe("logins with Apple", () => {
  const service = useService();
  const scene = useOpenId();
  before("configures Apple with a key", () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId([{ name: "apple", issuer, clientIds: [clientId], secret }]);
  });
  after(() => configureOpenId([]));

  const tokenFor = async (subject: string, claims: object = {}) => {
    const nonce = newId();
    return { id_token: await scene.provider.token(subject, nonce, { claims: { ...claims } }), nonce };
  };
  const logIn = async (subject: string, more: object = {}, claims: object = {}) =>
    service.call("post", "/auth/apple", { body: { ...(await tokenFor(subject, claims)), ...more } });
  const secretOf = async (subject: string) =>
    (await queryOne<{ secret: string | null }>("SELECT secret FROM identities WHERE subject = $1", [subject]))?.secret;
  const exchangedOf = (code: string) => scene.provider.exchanged.filter((form) => form.get("code") === code);
  const revokedOf = (code: string) => scene.provider.revoked.filter((form) => form.get("token") === `r.${code}`);
  const signedInWith = async (code: string, claims: object = {}) => {
    const subject = newId();
    const { status, body } = await logIn(subject, { authorization_code: code }, claims);
    expect(status, JSON.stringify(body)).to.equal(200);
    await until("the token is kept", () => secretOf(subject));
    return { subject, id: body.data.user.id as string, token: body.data.accessToken as string };
  };

  it("exchange the code for a token, sign that as Apple wants it, and keep it sealed", async () => {
    const code = newId();
    const { subject } = await signedInWith(code);
    const [form] = exchangedOf(code);
    expect(Object.fromEntries(form!)).to.include({
      client_id: scene.provider.clientId,
      grant_type: "authorization_code",
    });
    const proof = form!.get("client_secret")!;
    expect(decodeProtectedHeader(proof)).to.deep.equal({ alg: "ES256", kid: secret.keyId });
    expect(decodeJwt(proof)).to.include({
      iss: secret.teamId,
      sub: scene.provider.clientId,
      aud: scene.provider.issuer,
    });
    expect(await secretOf(subject)).to.match(/^v2\./);
    expect(await secretOf(subject)).not.to.include(code);
    const jobs = await query("SELECT data::text AS data FROM pgboss.job WHERE name = 'sign-in.exchange'");
    expect(JSON.stringify(jobs)).not.to.include(code);
    expect((await resealAll()).map(({ column }) => column)).to.include("identities.secret");
  });

  it("go on without a token when Apple refuses the code, and without a code", async () => {
    const subject = newId();
    expect((await logIn(subject, { authorization_code: `bad-${subject}` })).status).to.equal(200);
    await until("Apple was asked", () => exchangedOf(`bad-${subject}`).length > 0);
    expect((await logIn(subject)).status).to.equal(200);
    expect(await secretOf(subject)).to.equal(null);
  });

  it("revoke the token when the identity is unlinked", async () => {
    const ada = await buildUser();
    const [subject, code] = [newId(), newId()];
    const body = { ...(await tokenFor(subject)), authorization_code: code };
    await service.call("post", "/users/me/identities/apple", { token: ada.token, body });
    await until("the token is kept", () => secretOf(subject));
    await service.call("delete", "/users/me/identities/apple", { token: ada.token });
    await until("the token is revoked", () => revokedOf(code).length === 1);
    expect(revokedOf(code)[0]!.get("token_type_hint")).to.equal("refresh_token");
  });

  it("revoke the token when the account is erased, also one that comes after", async () => {
    const [code, late] = [newId(), newId()];
    const { id, subject, token } = await signedInWith(code);
    await service.call("post", "/account/delete-request", { token });
    await query("UPDATE users SET deletion_due_at = now() - interval '1 minute' WHERE id = $1", [id]);
    await eraseUser(id, noEngine);
    await until("the token is revoked", () => revokedOf(code).length === 1);
    expect(await secretOf(subject)).to.equal(undefined);

    const again = await logIn(subject, { authorization_code: late });
    await inTransaction((tx) => deleteIdentities(tx, again.body.data.user.id));
    // Exchanged before or after: it is revoked.
    await until("the late token is revoked", () => revokedOf(late).length === 1);
  });

  describe("take Apple's notices:", () => {
    const noticeOf = (type: string, sub: string, claims: object = {}, event_time = clock.now()) =>
      scene.provider.token("", "", {
        claims: {
          sub: undefined,
          nonce: undefined,
          exp: undefined,
          jti: newId(),
          events: JSON.stringify({
            type,
            sub,
            event_time,
            email: "x@privaterelay.appleid.com",
            is_private_email: "true",
          }),
          ...claims,
        },
      });
    const send = async (payload: string) => {
      const { status, body } = await service.call("post", "/auth/apple/notifications", { body: { payload } });
      return status === 200 ? "ok" : body.error.code;
    };
    const stateOf = async (id: string, subject: string) => {
      const user = await queryOne<{ status: string; verified: boolean }>(
        "SELECT status, email_verified_at IS NOT NULL AS verified FROM users WHERE id = $1",
        [id],
      );
      const linked = await query("SELECT 1 FROM identities WHERE subject = $1", [subject]);
      return { ...user!, linked: linked.length > 0 };
    };
    const isOpen = async (token: string) => (await service.call("get", "/users/me", { token })).status === 200;

    it("withdrawn consent ends Apple's sessions; the last way in stays for a later consent", async () => {
      const { id, subject, token } = await signedInWith(newId());
      expect(await send(await noticeOf("consent-revoked", subject))).to.equal("ok");
      expect([await isOpen(token), await secretOf(subject)]).to.deep.equal([false, null]);
      expect(await stateOf(id, subject)).to.deep.equal({ status: "active", verified: false, linked: true });
      expect((await logIn(subject)).body.data.user.id).to.equal(id);
    });

    it("withdrawn consent unlinks what isn't the last way in, and leaves other sessions open", async () => {
      const ada = await buildUser();
      const subject = newId();
      await service.call("post", "/users/me/identities/apple", { token: ada.token, body: await tokenFor(subject) });
      expect(await send(await noticeOf("consent-revoked", subject))).to.equal("ok");
      expect(await stateOf(ada.id, subject)).to.deep.include({ status: "active", linked: false });
      expect(await isOpen(ada.token)).to.equal(true);
    });

    it("a deleted Apple Account requests the deletion of an account that has no other way in", async () => {
      const alone = await signedInWith(newId());
      const ada = await buildUser();
      const linked = newId();
      await service.call("post", "/users/me/identities/apple", { token: ada.token, body: await tokenFor(linked) });
      for (const sub of [alone.subject, linked]) {
        const type = sub === linked ? "account-deleted" : "account-delete";
        expect(await send(await noticeOf(type, sub))).to.equal("ok");
      }
      expect(await stateOf(alone.id, alone.subject)).to.deep.include({ status: "deletion_pending", linked: false });
      expect(await stateOf(ada.id, linked)).to.deep.include({ status: "active", linked: false });
    });

    it("mail that is no longer forwarded is not sent, until it is forwarded again", async () => {
      const email = `${newId()}@privaterelay.appleid.com`;
      const { id, subject } = await signedInWith(newId(), { email, email_verified: "true" });
      const seen = [];
      for (const type of ["email-disabled", "email-enabled"]) {
        await send(await noticeOf(type, subject));
        seen.push((await stateOf(id, subject)).verified);
      }
      expect(seen).to.deep.equal([false, true]);
    });

    it("repeated notices change nothing, nor do those that come late", async () => {
      const email = `${newId()}@privaterelay.appleid.com`;
      const { id, subject } = await signedInWith(newId(), { email, email_verified: "true" });
      const [disabled, enabled, revoked] = [
        await noticeOf("email-disabled", subject, {}, clock.now() + 1),
        await noticeOf("email-enabled", subject, {}, clock.now() + 2),
        await noticeOf("consent-revoked", subject, {}, clock.now() + 3),
      ];
      for (const payload of [disabled, enabled, disabled]) expect(await send(payload)).to.equal("ok");
      expect((await stateOf(id, subject)).verified).to.equal(true);
      await send(revoked);
      const { body } = await logIn(subject);
      await send(revoked);
      expect(await isOpen(body.data.accessToken)).to.equal(true);
    });

    it("changes nothing by notices that are old, unknown, or of no user", async () => {
      const { id, subject, token } = await signedInWith(newId());
      const old = await noticeOf("account-delete", subject, {}, clock.now() - 3_600_000);
      expect([await send(old), await send(await noticeOf("toString", subject))]).to.deep.equal(["ok", "ok"]);
      expect(await send(await noticeOf("consent-revoked", newId()))).to.equal("ok");
      expect([await isOpen(token), (await stateOf(id, subject)).linked]).to.deep.equal([true, true]);
    });

    it("rejects what Apple hasn't signed for this service", async () => {
      const { subject } = await signedInWith(newId());
      const bad = [
        await noticeOf("account-delete", subject, { aud: "another.app" }),
        await noticeOf("account-delete", subject, { iss: "https://else.example" }),
        await noticeOf("account-delete", subject, { events: "{" }),
        await noticeOf("account-delete", subject, { events: "[]" }),
        await noticeOf("account-delete", subject, { events: undefined }),
        await noticeOf("account-delete", subject, { jti: undefined }),
        `${(await noticeOf("account-delete", subject)).slice(0, -6)}AAAAAA`,
        (await tokenFor(subject)).id_token,
      ];
      const answers = [];
      for (const payload of bad) answers.push(await send(payload));
      expect(answers).to.deep.equal(bad.map(() => "INVALID_CREDENTIALS"));
    });
  });

  it("revoke the token although the service is killed again and again after the erasure", async function () {
    this.timeout(120_000);
    after(() => stopServices());
    const url = await createDatabase({ migrated: true });
    const { issuer, clientId } = scene.provider;
    const environment = {
      DATABASE_URL: url,
      DATA_DIR: await mkdtemp(join(tmpdir(), "apple-")),
      JWT_SECRET: "one secret for all, of 40 characters and more",
      OPENID_PROVIDERS: JSON.stringify([{ name: "apple", issuer, client_ids: [clientId] }]),
      APPLE_TEAM_ID: secret.teamId,
      APPLE_KEY_ID: secret.keyId,
      APPLE_PRIVATE_KEY: Buffer.from(secret.privateKey).toString("base64"),
    };
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    const [subject, code] = [newId(), newId()];
    const first = await spawnService(environment);
    const body = { ...(await tokenFor(subject)), authorization_code: code };
    const { data } = (await callApi(first.url, "post", "/auth/apple", { body })).body;
    const count = async (text: string) => (await database.query(text)).rowCount;
    await until("the token is kept", () => count("SELECT 1 FROM identities WHERE secret IS NOT NULL"), 15_000);

    scene.provider.mood = "fails";
    await callApi(first.url, "post", "/account/delete-request", { token: data.accessToken });
    await database.query("UPDATE users SET deletion_due_at = now() - interval '1 minute'");
    await database.query("UPDATE pgboss.job SET start_after = now() WHERE name = 'deletion.erase'");
    await until("the account is erased", () => count("SELECT 1 FROM users WHERE status = 'deleted'"), 15_000);
    await first.stop("SIGKILL");

    // The next process finds what the killed one left by the silence of its heartbeats, and tries again after a pause.
    const endHeartbeats = async () => {
      await database.query("UPDATE pgboss.job SET heartbeat_on = now() - interval '1 minute' WHERE state = 'active'");
      // A process that starts looks for such jobs, unless another has looked within the last half minute.
      await database.query("UPDATE pgboss.queue SET monitor_on = NULL, monitor_claim_on = NULL");
    };
    const endPauses = async () => {
      await database.query("UPDATE pgboss.job SET start_after = now() WHERE state = 'retry' AND start_after > now()");
    };
    await endHeartbeats();

    // Killed again while Apple fails.
    for (let kills = 0; kills < 2; kills += 1) {
      const asked = scene.provider.asked.length;
      const next = await spawnService(environment);
      await until("Apple was asked again", () => scene.provider.asked.length > asked || endPauses(), 40_000);
      await next.stop("SIGKILL");
      await endHeartbeats();
    }
    expect(revokedOf(code)).to.deep.equal([]);

    scene.provider.mood = "right";
    await spawnService(environment);
    await until("the token is revoked", () => revokedOf(code).length === 1 || endPauses(), 40_000);
    await database.end();
  });
});
