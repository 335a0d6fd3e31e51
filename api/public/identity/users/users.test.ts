import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { listMessages } from "#shared/domain/identity/mail/outbox.ts";
import { sendMail } from "#shared/domain/identity/mail/send.ts";
import { newId } from "#shared/kernel/ids.ts";
import { callMatchmaker, closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

describe("/users", () => {
  const service = useService();

  it("returns the caller with settings and wallet", async () => {
    const ada = await buildUser({ coins: 70 });
    const { status, body } = await service.call("get", "/users/me", { token: ada.token });
    expect(status).to.equal(200);
    expect(body.data).to.include({ id: ada.id, email: ada.email });
    expect(body.data.wallet).to.deep.equal({ balance: 70 });
    expect(body.data).to.deep.equal((await service.call("get", "/auth/me", { token: ada.token })).body.data);
  });

  it("shows others what is public, and no suspended user", async () => {
    const [ada, bob] = await Promise.all([buildUser(), buildUser()]);
    const see = () => service.call("get", `/users/${bob.id}`, { token: ada.token });
    const { status, body } = await see();
    expect(status).to.equal(200);
    expect(body.data).to.include({ id: bob.id, is_following: false, friend_status: "none" });
    expect(body.data).not.to.have.any.keys("email", "mobile", "wallet", "settings");
    await suspendUser(serviceItself, bob.id, { reason: "spam" });
    expect((await see()).body.error.code).to.equal("NOT_FOUND");
    const unknown = await service.call("get", `/users/${newId()}`, { token: ada.token });
    expect(unknown.body).to.deep.equal((await see()).body);
    expect((await service.call("get", "/users/x", { token: ada.token })).body.error.code).to.equal("VALIDATION_ERROR");
  });

  describe("in the language of the user", () => {
    afterEach(closeClients);
    const hindi = { "accept-language": "hi-IN,hi;q=0.9,en;q=0.8" };
    const missing = (token: string, headers = {}) => service.call("get", `/rooms/${newId()}`, { token, headers });
    const choose = (token: string, language: string | null) =>
      service.call("patch", "/users/me", { token, body: { language } });

    it("translates errors by `Accept-Language`, unless the user has chosen one", async () => {
      const { token } = await buildUser();
      const english = await missing(token);
      expect(english.body.error).to.include({ code: "NOT_FOUND", message: "This room doesn't exist." });
      expect(english.headers.get("content-language")).to.equal("en");
      const { body, headers } = await missing(token, hindi);
      expect(body.error).to.include({ code: "NOT_FOUND", message: "यह रूम मौजूद नहीं है।" });
      expect(headers.get("content-language")).to.equal("hi");
      expect(headers.get("vary")).to.include("Accept-Language");

      expect((await choose(token, "ar")).body.data.language).to.equal("ar");
      await until(
        "the choice is known",
        async () => (await missing(token, hindi)).body.error.message === "هذه الغرفة غير موجودة.",
      );
      await choose(token, null);
      await until(
        "no choice is known",
        async () => (await missing(token)).body.error.message === "This room doesn't exist.",
      );
      expect((await choose(token, "xx")).body.error.code).to.equal("VALIDATION_ERROR");
    });

    it("translates errors before a login, of addresses that don't exist, and of administrators", async () => {
      const login = await service.call("post", "/auth/login", { body: {}, headers: hindi });
      expect(login.body.error.message).to.equal("identifier ज़रूरी है; password ज़रूरी है");
      const messageOf = async (path: string) =>
        ((await (await fetch(service.url + path, { headers: hindi })).json()) as { error: { message: string } }).error
          .message;
      expect(await messageOf("/api/v1/rom")).to.include("मौजूद नहीं है");
      expect(await messageOf("/elsewhere")).to.include("मौजूद नहीं है");
      expect(await messageOf("/api/v1/admin/users")).to.include("हेडर भेजें");
      // The catalogue's messages are part of its contract.
      expect(await (await fetch(`${service.url}/catalogue/orders`, { headers: hindi })).text()).not.to.match(
        /[\u0900-\u097f]/,
      );
    });

    it("translates errors over Socket.IO and Colyseus", async () => {
      const ada = await buildUser();
      const { socket, ask } = await connectSocket(service.url, ada.token, { language: "es" });
      const join = async () => (await ask("room:join", { room_id: newId() })).error.message;
      expect(await join()).to.equal("Esta sala no existe.");
      await choose(ada.token, "hi");
      await until("the choice is known", async () => /[\u0900-\u097f]/.test(await join()));
      expect((await ask("room:mesage", {})).error.message)
        .to.include("room:message")
        .and.include("क्या आपका मतलब");
      socket.disconnect();
      const refused = await connectSocket(service.url, "no token", { language: "pt" }).catch((error: Error) => error);
      expect(refused).to.have.property("message").that.includes("token de acesso");
      const { body } = await callMatchmaker(service.url, "join/voice_room", {}, ada.token, hindi);
      expect(body.error).to.include({ code: "VALIDATION_ERROR", message: "room_id ज़रूरी है" });
    });

    it("keeps the language that a user registers in, for what is sent to them", async () => {
      const name = `u${newId().slice(-12).replaceAll("-", "")}`;
      const password = "a quiet harbour at dawn";
      const address = `${name}@example.com`;
      const form = { full_name: "Ada", username: name, email: address, terms_accepted: true };
      const body = { ...form, password, confirm_password: password };
      const { user } = (await service.call("post", "/auth/register", { body, headers: hindi })).body.data;
      expect(user.language).to.equal("hi");
      await sendMail({ userId: user.id, address }, "password-changed", {});
      expect((await listMessages(address)).map(({ subject }) => subject)).to.include("आपका Hubbub पासवर्ड बदल दिया गया");
    });
  });

  it("changes the profile and keeps fields that were not sent", async () => {
    const { token } = await buildUser();
    const body = { full_name: "  Ada King ", country: "gb", settings: { privacy: { allow_dm: "nobody" } } };
    const changed = await service.call("patch", "/users/me", { token, body });
    expect(changed.status).to.equal(200);
    expect(changed.body.data).to.include({ full_name: "Ada King", country: "GB", bio: "" });
    expect(changed.body.data.settings.privacy).to.include({ allow_dm: "nobody", show_online: true });
    expect((await service.call("get", "/users/me", { token })).body.data).to.deep.equal(changed.body.data);
  });

  for (const body of [
    { full_name: "" },
    { full_name: null },
    { bio: "x".repeat(501) },
    { country: "XX" },
    // Its upper case is SS, a country.
    { country: "ß" },
    { avatar_url: "javascript:alert(1)" },
    { cover_url: "file:///etc/passwd" },
    { settings: { privacy: { show_everything: true } } },
    { settings: { privacy: { show_online: "no" } } },
    { settings: { privacy: { allow_dm: "enemies" } } },
    { settings: { notifications: { push: 1 } } },
    { settings: { theme: "dark" } },
    { settings: null },
    { email: "new@example.com" },
    { username: "other" },
    { status: "active" },
    { wallet: { balance: 1_000_000 } },
    { id: newId() },
    { password_hash: "x" },
  ])
    it(`rejects ${JSON.stringify(body).slice(0, 60)}, and changes nothing`, async () => {
      const { token } = await buildUser();
      const before = (await service.call("get", "/users/me", { token })).body.data;
      const refused = await service.call("patch", "/users/me", { token, body });
      expect([refused.status, refused.body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect((await service.call("get", "/users/me", { token })).body.data).to.deep.equal(before);
    });

  it("ignores a field named __proto__", async () => {
    const { token } = await buildUser();
    const before = (await service.call("get", "/users/me", { token })).body.data;
    for (const body of [
      '{"settings":{"__proto__":{"privacy":{"show_online":false}}}}',
      '{"settings":{"privacy":{"__proto__":{"show_online":false}}}}',
      '{"__proto__":{"status":"suspended","balance":1}}',
      '{"settings":{"privacy":{"constructor":{"prototype":{"show_online":false}}}}}',
    ])
      await service.call("patch", "/users/me", { token, body });
    expect((await service.call("get", "/users/me", { token })).body.data).to.deep.equal(before);
    expect(Object.hasOwn(Object.prototype, "show_online")).to.equal(false);
  });
});
