import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { verifyDummy } from "#shared/domain/identity/accounts/password.ts";
import { suspendUser } from "#shared/domain/identity/accounts/suspend-user.ts";
import { newId } from "#shared/kernel/ids.ts";
import { expiredToken, forgedTokens } from "#shared/testing/access/forged-tokens.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { useService } from "#shared/testing/service.ts";

let people = 0;
function form(fields: object = {}) {
  people += 1;
  const username = `f${newId().slice(-12)}${people}`;
  const password = "correct horse";
  return {
    full_name: "Ada Lovelace",
    username,
    email: `${username}@example.com`,
    password,
    confirm_password: password,
    terms_accepted: true,
    ...fields,
  };
}

describe("POST /auth/register", () => {
  const service = useService();

  it("creates an account and logs in", async () => {
    const body = form({ mobile: undefined, date_of_birth: "1990-12-10" });
    const { status, body: answer } = await service.call("post", "/auth/register", { body });
    expect(status).to.equal(201);
    const { user, accessToken, refreshToken } = answer.data;
    expect(user).to.include({ username: body.username, email: body.email, mobile: null, status: "active" });
    expect(user.wallet).to.deep.equal({ balance: 100 });
    const me = await service.call("get", "/auth/me", { token: accessToken });
    expect(me.body.data).to.deep.equal(user);
    expect((await service.call("post", "/auth/refresh", { body: { refreshToken } })).status).to.equal(200);
  });

  it("lowercases username and email address, and accepts them in any case", async () => {
    const { username, ...rest } = form();
    const body = { ...rest, username: username.toUpperCase(), email: rest.email.toUpperCase() };
    const made = await service.call("post", "/auth/register", { body });
    expect(made.body.data.user).to.include({ username, email: rest.email });
    const again = await service.call("post", "/auth/register", { body: form({ username: username.toUpperCase() }) });
    expect([again.status, again.body.error.code]).to.deep.equal([409, "USERNAME_TAKEN"]);
    const identifier = username.toUpperCase();
    const login = await service.call("post", "/auth/login", { body: { identifier, password: body.password } });
    expect(login.status).to.equal(200);
  });

  for (const [field, value] of [
    ["full_name", ""],
    ["full_name", "x".repeat(81)],
    ["full_name", "two\nlines"],
    ["username", "ab"],
    ["username", "a".repeat(31)],
    ["username", "ada lovelace"],
    ["username", "адам"],
    ["username", "hubbub"],
    ["email", "not an address"],
    ["email", "ada@localhost"],
    ["mobile", "919876543210"],
    ["mobile", "+0123456789"],
    ["password", "short"],
    ["password", "x".repeat(129)],
    ["password", "password1"],
    ["date_of_birth", "10.12.1990"],
    ["date_of_birth", "2023-02-29"],
    ["date_of_birth", new Date().toISOString().slice(0, 10)],
    ["terms_accepted", false],
    ["terms_accepted", "true"],
    ["confirm_password", "another"],
    ["is_admin", true],
    ["balance", 1000],
  ] as const)
    it(`rejects ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const fields = field === "password" ? { password: value, confirm_password: value } : { [field]: value };
      const { status, body } = await service.call("post", "/auth/register", { body: form(fields) });
      expect([status, body.error.code]).to.deep.equal([400, "VALIDATION_ERROR"]);
      expect(body.error.details.map((fault: { field: string }) => fault.field)).to.include(field);
    });

  it("names every missing field", async () => {
    const { body } = await service.call("post", "/auth/register", { body: {} });
    expect(body.error.details.map(({ field }: { field: string }) => field)).to.have.members([
      "full_name",
      "username",
      "email",
      "password",
      "confirm_password",
      "terms_accepted",
    ]);
  });
});

describe("POST /auth/login", () => {
  const service = useService();
  const login = (identifier: unknown, password: unknown) =>
    service.call("post", "/auth/login", { body: { identifier, password } });

  it("returns what registering returns", async () => {
    const ada = await buildUser();
    for (const identifier of [ada.username, ada.email]) {
      const { status, body } = await login(identifier, ada.password);
      expect(status).to.equal(200);
      expect(body.data.user.id).to.equal(ada.id);
    }
  });

  it("does not reveal whether an account exists", async () => {
    const ada = await buildUser();
    const [wrong, unknown, address] = await Promise.all([
      login(ada.username, "wrong password"),
      login("nobody.at.all", "wrong password"),
      login("nobody@example.com", "wrong password"),
    ]);
    expect([wrong.status, wrong.body.error.code]).to.deep.equal([401, "INVALID_CREDENTIALS"]);
    for (const other of [unknown, address]) {
      expect(other.status).to.equal(wrong.status);
      expect(other.body).to.deep.equal(wrong.body);
      const names = (headers: Headers) => [...headers.keys()].sort();
      expect(names(other.headers)).to.deep.equal(names(wrong.headers));
    }
  });

  it("reveals a suspension only with the correct password", async () => {
    const ada = await buildUser();
    await suspendUser(serviceItself, ada.id, { reason: "spam" });
    expect((await login(ada.username, "wrong password")).body.error.code).to.equal("INVALID_CREDENTIALS");
    const { status, body } = await login(ada.username, ada.password);
    expect([status, body.error.code]).to.deep.equal([403, "ACCOUNT_SUSPENDED"]);
  });

  it("rejects logins while too many passwords are being hashed, and recovers", async () => {
    const ada = await buildUser();
    let crowded = true;
    const stay = async () => {
      while (crowded) await verifyDummy("login", ada.password);
    };
    const crowd = Promise.all(Array.from({ length: 2 + 32 }, stay));
    const { status, body, headers } = await login(ada.username, ada.password);
    expect([status, body.error.code]).to.deep.equal([429, "RATE_LIMITED"]);
    expect(headers.get("retry-after")).to.equal("1");
    crowded = false;
    await crowd;
    expect((await login(ada.username, ada.password)).status).to.equal(200);
  });

  it("rejects values that are not text", async () => {
    for (const [identifier, password] of [
      [{ $ne: "" }, "correct horse"],
      ["ada", ["correct horse"]],
      ["", ""],
      [null, null],
    ])
      expect((await login(identifier, password)).body.error.code).to.equal("VALIDATION_ERROR");
  });
});

describe("POST /auth/refresh and /auth/logout", () => {
  const service = useService();
  const refresh = (refreshToken: string, token?: string) =>
    service.call("post", "/auth/refresh", { body: { refreshToken }, ...(token && { token }) });

  it("refreshes despite an expired or forged access token", async () => {
    const ada = await buildUser();
    const first = await refresh(ada.refreshToken, expiredToken(ada.id, ada.sessionId));
    expect(first.status).to.equal(200);
    expect((await refresh(first.body.data.refreshToken, "rubbish")).status).to.equal(200);
  });

  it("keeps two tabs logged in", async () => {
    const ada = await buildUser();
    const tabs = await Promise.all([refresh(ada.refreshToken), refresh(ada.refreshToken)]);
    for (const { status, body } of tabs) {
      expect(status).to.equal(200);
      expect((await service.call("get", "/auth/me", { token: body.data.accessToken })).status).to.equal(200);
    }
  });

  it("logs out: both tokens are rejected from the next call on", async () => {
    const ada = await buildUser();
    expect((await service.call("get", "/users/me", { token: ada.token })).status).to.equal(200);
    const out = await service.call("post", "/auth/logout", { body: { refreshToken: ada.refreshToken } });
    expect([out.status, out.body]).to.deep.equal([200, { success: true, data: {} }]);
    const call = await service.call("get", "/users/me", { token: ada.token });
    expect([call.status, call.body.error.code]).to.deep.equal([401, "UNAUTHENTICATED"]);
    const again = await refresh(ada.refreshToken);
    expect([again.status, again.body.error.code]).to.deep.equal([401, "REFRESH_TOKEN_INVALID"]);
  });

  it("rejects a suspended account from the next call on", async () => {
    const ada = await buildUser();
    await suspendUser(serviceItself, ada.id, { reason: "spam" });
    const call = await service.call("get", "/users/me", { token: ada.token });
    expect([call.status, call.body.error.code]).to.deep.equal([403, "ACCOUNT_SUSPENDED"]);
    expect((await refresh(ada.refreshToken)).body.error.code).to.equal("ACCOUNT_SUSPENDED");
  });

  it("rejects unknown tokens", async () => {
    for (const path of ["/auth/refresh", "/auth/logout"]) {
      const { status, body } = await service.call("post", path, { body: { refreshToken: "x".repeat(43) } });
      expect([status, body.error.code]).to.deep.equal([401, "REFRESH_TOKEN_INVALID"]);
    }
  });
});

describe("GET /auth/me", () => {
  const service = useService();

  it("requires a token", async () => {
    const { status, body, headers } = await service.call("get", "/auth/me");
    expect([status, body.error.code]).to.deep.equal([401, "UNAUTHENTICATED"]);
    expect(headers.get("www-authenticate")).to.equal("Bearer");
  });

  it("names an expired token as such", async () => {
    const ada = await buildUser();
    const { status, body } = await service.call("get", "/auth/me", { token: expiredToken(ada.id, ada.sessionId) });
    expect([status, body.error.code]).to.deep.equal([401, "TOKEN_EXPIRED"]);
  });

  it("rejects forged tokens", async () => {
    const ada = await buildUser();
    for (const [wrong, token] of forgedTokens(ada.id, ada.sessionId)) {
      const { status, body } = await service.call("get", "/auth/me", { token });
      expect([status, body.error.code], wrong).to.deep.equal([401, "UNAUTHENTICATED"]);
    }
    for (const authorization of [`Basic ${ada.token}`, ada.token, "Bearer", `Bearer  ${ada.token}x`]) {
      const { status } = await service.call("get", "/auth/me", { headers: { authorization } });
      expect(status, authorization.slice(0, 12)).to.equal(401);
    }
  });
});
