import { expect } from "chai";
import { rememberSettings } from "#shared/domain/base/settings/settings.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { type BuiltUser, buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

describe("the terms", () => {
  const service = useService();
  afterEach(closeClients);
  afterEach(() => rememberSettings({ terms_version: "" }));

  const ask = async ({ token }: Pick<BuiltUser, "token">, method: string, path: string, body?: object) => {
    const { body: answer } = await service.call(method, path, { token, ...(body && { body }) });
    return answer.success ? answer.data : answer.error.code;
  };

  it("are asked again whenever their version changes, at every door, and lock no user in", async () => {
    const ada = await buildUser();
    const open = await connectSocket(service.url, ada.token);
    expect(await ask(ada, "get", "/users/me/terms")).to.deep.equal({
      version: null,
      accepted: null,
      accepted_at: null,
    });
    rememberSettings({ terms_version: "2026-11" });
    expect(await ask(ada, "get", "/rooms")).to.equal("TERMS_NOT_ACCEPTED");
    expect((await open.ask("typing:dm", { conversation_id: ada.id, typing: true })).error.code).to.equal(
      "TERMS_NOT_ACCEPTED",
    );
    const refused = await connectSocket(service.url, ada.token).catch(({ data }) => data);
    expect(refused).to.include({ code: "TERMS_NOT_ACCEPTED" });
    expect((await ask(ada, "get", "/users/me")).id).to.equal(ada.id);
    expect(await ask(ada, "post", "/users/me/export")).to.have.property("state");
    expect(await ask(ada, "post", "/users/me/terms", { version: "2025-01" })).to.equal("CONFLICT");

    const accepted = await ask(ada, "post", "/users/me/terms", { version: "2026-11" });
    expect(accepted).to.include({ version: "2026-11", accepted: "2026-11" });
    expect(await ask(ada, "get", "/rooms")).to.have.property("items");
    await connectSocket(service.url, ada.token);
    const { body } = await service.call("post", "/auth/login", {
      body: { identifier: ada.username, password: ada.password },
    });
    expect(await ask({ token: body.data.accessToken }, "get", "/rooms")).to.have.property("items");
    rememberSettings({ terms_version: "2027-01" });
    expect(await ask({ token: body.data.accessToken }, "get", "/rooms")).to.equal("TERMS_NOT_ACCEPTED");

    // An operator who goes back to earlier terms asks again, and the next login knows the answer.
    await ask(ada, "post", "/users/me/terms", { version: "2027-01" });
    rememberSettings({ terms_version: "2026-11" });
    expect(await ask(ada, "get", "/rooms")).to.equal("TERMS_NOT_ACCEPTED");
    expect(await ask(ada, "post", "/users/me/terms", { version: "2026-11" })).to.include({ accepted: "2026-11" });
  });

  it("are accepted by those who register", async () => {
    rememberSettings({ terms_version: "2026-11" });
    const { body } = await service.call("post", "/auth/register", {
      body: {
        full_name: "Nell",
        username: "nell_terms",
        email: "nell-terms@example.com",
        password: "a quiet evening",
        confirm_password: "a quiet evening",
        terms_accepted: true,
      },
    });
    const nell = { token: body.data.accessToken };
    expect(await ask(nell, "get", "/users/me/terms")).to.include({ accepted: "2026-11" });
    expect(await ask(nell, "get", "/rooms")).to.have.property("items");
  });
});
