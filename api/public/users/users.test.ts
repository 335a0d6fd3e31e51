import { expect } from "chai";
import { suspendUser } from "#shared/domain/accounts/suspend-user.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { useService } from "#shared/testing/service.ts";

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
    await suspendUser(adminCaller(), bob.id, { reason: "spam" });
    expect((await see()).body.error.code).to.equal("NOT_FOUND");
    const unknown = await service.call("get", `/users/${newId()}`, { token: ada.token });
    expect(unknown.body).to.deep.equal((await see()).body);
    expect((await service.call("get", "/users/x", { token: ada.token })).body.error.code).to.equal("VALIDATION_ERROR");
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
