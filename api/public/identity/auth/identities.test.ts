import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { changeSettings } from "#shared/domain/base/settings/change-settings.ts";
import { configureOpenId } from "#shared/domain/identity/sign-in/openid.config.ts";
import { eraseUser } from "#shared/domain/operations/deletion/erase-user.ts";
import { expireGuests } from "#shared/domain/operations/deletion/expire-guests.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useOpenId } from "#shared/testing/fakes/fake-openid.ts";
import { codeIn, messagesTo } from "#shared/testing/mailbox.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("ways to log in", () => {
  const service = useService();
  const scene = useOpenId();
  before("configures providers, and lets guests in", async () => {
    const { issuer, clientId } = scene.provider;
    configureOpenId(["google", "apple"].map((name) => ({ name, issuer, clientIds: [clientId] })));
    await changeSettings(adminCaller(), { guests_enabled: true });
  });
  after(async () => {
    configureOpenId([]);
    await changeSettings(adminCaller(), { guests_enabled: false, guests_may: [] });
  });

  const call = (method: string, path: string, body?: unknown, token?: string) =>
    service.call(method, path, { ...(body !== undefined && { body }), ...(token && { token }) });
  const proof = async (subject: string, claims = {}) => {
    const nonce = newId();
    return { id_token: await scene.provider.token(subject, nonce, { claims }), nonce };
  };
  const link = async (token: string, provider: string, body: unknown) =>
    call("post", `/users/me/identities/${provider}`, body, token);
  const unlink = (token: string, provider: string) =>
    call("delete", `/users/me/identities/${provider}`, undefined, token);
  const providersOf = (body: { data: { provider: string }[] }) => body.data.map(({ provider }) => provider).sort();
  const errorOf = ({ status, body }: { status: number; body: { error: { code: string } } }) => [
    status,
    body.error.code,
  ];

  describe("are linked and unlinked:", () => {
    it("a password and a verified number are ways in like the others", async () => {
      const ada = await buildUser({ mobile: `+919${String(process.pid).padStart(9, "0")}` });
      expect(providersOf((await call("get", "/users/me/identities", undefined, ada.token)).body)).to.deep.equal([
        "password",
      ]);
      await query("UPDATE users SET mobile_verified_at = now() WHERE id = $1", [ada.id]);
      const listed = await call("get", "/users/me/identities", undefined, ada.token);
      expect(providersOf(listed.body)).to.deep.equal(["password", "phone"]);
    });

    it("links an identity, logs in with it, and unlinks it", async () => {
      const ada = await buildUser();
      const subject = newId();
      expect(providersOf((await link(ada.token, "google", await proof(subject))).body)).to.deep.equal([
        "google",
        "password",
      ]);
      expect(providersOf((await link(ada.token, "google", await proof(subject))).body)).to.deep.equal([
        "google",
        "password",
      ]);
      const login = await call("post", "/auth/google", await proof(subject));
      expect(login.body.data.user.id).to.equal(ada.id);
      expect(providersOf((await unlink(ada.token, "google")).body)).to.deep.equal(["password"]);
      expect((await call("post", "/auth/google", await proof(subject))).body.data.is_new).to.equal(true);
    });

    it("never removes the last one, also when two are unlinked at once", async () => {
      const ada = await buildUser();
      expect(errorOf(await unlink(ada.token, "password"))).to.deep.equal([409, "LAST_IDENTITY"]);
      await link(ada.token, "google", await proof(newId()));
      const answers = await Promise.all([unlink(ada.token, "google"), unlink(ada.token, "password")]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      expect(errorOf(await unlink(ada.token, "apple"))).to.deep.equal([404, "NOT_FOUND"]);
    });

    it("refuses what another account has, and a second one of the same provider", async () => {
      const [ada, grace] = [await buildUser(), await buildUser()];
      const subject = newId();
      await link(ada.token, "google", await proof(subject));
      expect(errorOf(await link(grace.token, "google", await proof(subject)))).to.deep.equal([409, "IDENTITY_TAKEN"]);
      expect(errorOf(await link(ada.token, "google", await proof(newId())))).to.deep.equal([409, "CONFLICT"]);
      expect(errorOf(await link(ada.token, "password", { password: "listen to the room" }))).to.deep.equal([
        409,
        "CONFLICT",
      ]);
      expect(errorOf(await link(ada.token, "phone", await proof(newId())))).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(errorOf(await link(ada.token, "guest", await proof(newId())))).to.deep.equal([404, "NOT_FOUND"]);
    });

    it("gives one account a contested identity", async () => {
      const people = await Promise.all([1, 2, 3, 4].map(() => buildUser()));
      const subject = newId();
      const answers = await Promise.all(people.map(async ({ token }) => link(token, "google", await proof(subject))));
      const login = await call("post", "/auth/google", await proof(subject));
      expect(answers.filter(({ status }) => status === 200).length).to.equal(1);
      expect(people.map(({ id }) => id)).to.include(login.body.data.user.id);
    });

    it("lets a password be set by who has none, and then logs in by it", async () => {
      const { body } = await call("post", "/auth/google", await proof(newId()));
      const { accessToken, user } = body.data;
      expect(providersOf((await link(accessToken, "password", { password: "listen to the room" })).body)).to.include(
        "password",
      );
      const login = await call("post", "/auth/login", { identifier: user.username, password: "listen to the room" });
      expect(login.body.data.user.id).to.equal(user.id);
      await unlink(accessToken, "password");
      const refused = await call("post", "/auth/login", { identifier: user.username, password: "listen to the room" });
      expect(errorOf(refused)).to.deep.equal([401, "INVALID_CREDENTIALS"]);
    });

    it("are gone with the account: the identity then registers another one", async () => {
      const subject = newId();
      const { body } = await call("post", "/auth/google", await proof(subject));
      await query(
        "UPDATE users SET status = 'deletion_pending', deletion_due_at = now() - interval '1 hour' WHERE id = $1",
        [body.data.user.id],
      );
      await eraseUser(body.data.user.id, noEngine);
      expect((await call("post", "/auth/google", await proof(subject))).body.data.is_new).to.equal(true);
    });
  });

  describe("the made username", () => {
    it("may be changed once, and a date of birth set once", async () => {
      const { body } = await call("post", "/auth/google", await proof(newId()));
      const { accessToken: token } = body.data;
      const taken = await buildUser();
      const patch = (changes: object) => call("patch", "/users/me", changes, token);
      expect(errorOf(await patch({ username: taken.username }))).to.deep.equal([409, "USERNAME_TAKEN"]);
      const name = `m${newId().slice(-12)}`;
      expect((await patch({ username: name, date_of_birth: "1990-01-02" })).body.data).to.include({
        username: name,
        date_of_birth: "1990-01-02",
      });
      expect(errorOf(await patch({ username: `${name}x` }))).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(errorOf(await patch({ date_of_birth: "1980-01-02" }))).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect((await patch({ username: name, bio: "Same name" })).body.data.bio).to.equal("Same name");
    });
  });

  describe("guests", () => {
    const newGuest = async () => (await call("post", "/auth/guest", {})).body.data;

    it("come in by a secret that is shown once", async () => {
      const guest = await newGuest();
      expect(guest).to.include({ is_new: true });
      const again = await call("post", "/auth/guest", { guest_secret: guest.guest_secret });
      expect(again.body.data).to.include({ is_new: false, guest_secret: null });
      expect(again.body.data.user.id).to.equal(guest.user.id);
      const unknown = await call("post", "/auth/guest", { guest_secret: "x".repeat(43) });
      expect(errorOf(unknown)).to.deep.equal([401, "INVALID_CREDENTIALS"]);
    });

    it("read, but do nothing that isn't listed", async () => {
      const { accessToken: token } = await newGuest();
      expect((await call("get", "/rooms", undefined, token)).status).to.equal(200);
      for (const [path, body] of [
        ["/rooms", { name: "Mine", category: "music", language: "en" }],
        ["/posts", { body: "Hello" }],
        ["/coin-packages", undefined],
      ] as const) {
        const answer = await call(body ? "post" : "get", path, body, token);
        expect(body ? errorOf(answer) : [answer.status]).to.deep.equal(body ? [403, "GUEST_NOT_ALLOWED"] : [200]);
      }
    });

    it("become users by linking, with their coins, once", async () => {
      const guest = await newGuest();
      const subject = newId();
      const answers = await Promise.all(
        ["google", "apple"].map(async (provider) => link(guest.accessToken, provider, await proof(subject))),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      const { body } = await call("post", "/auth/refresh", { refreshToken: guest.refreshToken });
      expect(
        (await call("post", "/rooms", { name: "Mine", category: "music", language: "en" }, body.data.accessToken))
          .status,
      ).to.equal(201);
      const secret = await call("post", "/auth/guest", { guest_secret: guest.guest_secret });
      expect(errorOf(secret)).to.deep.equal([401, "INVALID_CREDENTIALS"]);
      expect((await call("post", "/auth/google", await proof(subject))).body.data.user.id).to.equal(guest.user.id);
    });

    it("don't take what another account has", async () => {
      const subject = newId();
      await call("post", "/auth/google", await proof(subject));
      const guest = await newGuest();
      expect(errorOf(await link(guest.accessToken, "google", await proof(subject)))).to.deep.equal([
        409,
        "IDENTITY_TAKEN",
      ]);
    });

    it("are erased when they weren't seen for 30 days, but not those who became users", async () => {
      const [gone, seen, linked] = [await newGuest(), await newGuest(), await newGuest()];
      const ids = [gone.user.id, linked.user.id];
      await link(linked.accessToken, "google", await proof(newId()));
      await query("UPDATE users SET created_at = now() - interval '31 days' WHERE id = ANY ($1)", [ids]);
      await query("UPDATE sessions SET last_used_at = now() - interval '31 days' WHERE user_id = ANY ($1)", [ids]);
      while ((await expireGuests()) > 0);
      await until("the guest is erased", async () => {
        const [row] = await query("SELECT 1 FROM users WHERE id = $1 AND erased_at IS NOT NULL", [gone.user.id]);
        return row !== undefined;
      });
      for (const { user } of [seen, linked])
        expect((await query("SELECT 1 FROM users WHERE id = $1 AND status = 'active'", [user.id])).length).to.equal(1);
    });

    it("link a number", async () => {
      const guest = await newGuest();
      const mobile = `+9197${String(process.pid % 100_000_000).padStart(8, "0")}`;
      await call("post", "/auth/phone/code", { mobile });
      const code = codeIn((await messagesTo(mobile))[0]!);
      expect(providersOf((await link(guest.accessToken, "phone", { mobile, code })).body)).to.deep.equal(["phone"]);
    });
  });
});
