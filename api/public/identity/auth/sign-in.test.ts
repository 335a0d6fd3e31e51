import { createHash } from "node:crypto";
import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { newId } from "#shared/kernel/ids.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { FakeOpenId, type TokenChanges, useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { useService } from "#shared/testing/service.ts";

describe("logging in with an ID token", () => {
  const service = useService();
  const scene = useOpenId();
  const nonce = () => newId();
  const person = () => `person-${newId()}`;

  beforeEach(() => {
    const { issuer, clientId } = scene.provider;
    scene.provider.mood = "right";
    configureOpenId(["google", "apple", "line"].map((name) => ({ name, issuer, clientIds: [clientId, "other-app"] })));
  });
  after(() => configureOpenId([]));

  const post = (path: string, body: unknown, token?: string) =>
    service.call("post", path, { body, ...(token && { token }) });

  async function signIn(subject: string, changes: TokenChanges & { path?: string; more?: object } = {}) {
    const used = nonce();
    const id_token = await scene.provider.token(subject, used, changes);
    return post(changes.path ?? "/auth/google", { id_token, nonce: used, ...changes.more });
  }

  for (const path of ["/auth/google", "/auth/apple", "/auth/oidc/line"])
    it(`registers a new person and logs a known one in: ${path}`, async () => {
      const subject = person();
      const made = await signIn(subject, { path, claims: { name: "Ada Lovelace" } });
      expect(made.status).to.equal(200);
      const { user, is_new, missing } = made.body.data;
      expect({ is_new, missing }).to.deep.equal({ is_new: true, missing: ["username", "date_of_birth"] });
      expect(user).to.include({ full_name: "Ada Lovelace", email: null, status: "active" });
      expect(user.username).to.match(/^user_[a-z0-9]{10}$/);
      const again = await signIn(subject, { path });
      expect(again.body.data).to.include({ is_new: false });
      expect(again.body.data.user.id).to.equal(user.id);
      expect((await post("/auth/refresh", { refreshToken: again.body.data.refreshToken })).status).to.equal(200);
    });

  it("takes the profile of a new person, and their verified address", async () => {
    const email = `${newId()}@Example.com`;
    const username = `n${newId().slice(-12)}`;
    const { body } = await signIn(person(), {
      claims: { email, email_verified: "true" },
      more: { profile: { username, full_name: "Grace", date_of_birth: "1990-01-02" }, device: { name: "Phone" } },
    });
    expect(body.data.missing).to.deep.equal([]);
    expect(body.data.user).to.include({
      username,
      full_name: "Grace",
      email: email.toLowerCase(),
      email_verified: true,
    });
    const sessions = await service.call("get", "/auth/sessions", { token: body.data.accessToken });
    expect(sessions.body.data.items[0].user_agent).to.equal("Phone");
  });

  it("never captures an account by an equal address, verified or not", async () => {
    for (const verified of [true, false]) {
      const ada = await buildUser();
      if (verified) await query("UPDATE users SET email_verified_at = now() WHERE id = $1", [ada.id]);
      const { body } = await signIn(person(), { claims: { email: ada.email, email_verified: true } });
      expect(body.data.is_new).to.equal(true);
      expect(body.data.user.id).not.to.equal(ada.id);
      expect(body.data.user.email).to.equal(verified ? null : ada.email);
    }
    const unproven = await signIn(person(), { claims: { email: `${newId()}@example.com`, email_verified: false } });
    expect(unproven.body.data.user.email).to.equal(null);
  });

  it("accepts the nonce as its hash, and other apps of the operator", async () => {
    const raw = nonce();
    const hashed = createHash("sha256").update(raw).digest("hex");
    const id_token = await scene.provider.token(person(), hashed, { claims: { aud: "other-app" } });
    expect((await post("/auth/google", { id_token, nonce: raw })).status).to.equal(200);
  });

  it("is counted by its way and outcome", async () => {
    const counts = async () =>
      Object.fromEntries(
        (await metrics.logins.get()).values
          .filter(({ labels }) => labels.way === "google")
          .map(({ labels, value }) => [labels.outcome, value]),
      ) as Record<string, number>;
    const before = await counts();
    const subject = person();
    await signIn(subject);
    await signIn(subject);
    await post("/auth/google", { id_token: "a".repeat(40), nonce: nonce() });
    const after = await counts();
    const grown = ["registered", "ok", "refused"].map((outcome) => (after[outcome] ?? 0) - (before[outcome] ?? 0));
    expect(grown).to.deep.equal([1, 1, 1]);
  });

  it("is not found for a provider that isn't configured", async () => {
    expect((await signIn(person(), { path: "/auth/facebook" })).body.error.code).to.equal("NOT_FOUND");
    expect((await signIn(person(), { path: "/auth/oidc/unknown" })).body.error.code).to.equal("NOT_FOUND");
  });

  it("reads new keys when the provider rotates them", async () => {
    const other = await FakeOpenId.start();
    configureOpenId([{ name: "google", issuer: other.issuer, clientIds: [other.clientId] }]);
    const by = async () => {
      const used = nonce();
      return (await post("/auth/google", { id_token: await other.token(person(), used), nonce: used })).status;
    };
    expect([await by(), await by()]).to.deep.equal([200, 200]);
    expect(other.asked.length).to.equal(2);
    other.stop();
  });
});
