import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { configureLogger, logger } from "#shared/kernel/logger.ts";
import { useService } from "#shared/testing/service.ts";

describe("logs", () => {
  const service = useService();
  let lines: string[] = [];

  beforeEach(() => {
    lines = [];
    configureLogger({ level: "trace", pretty: false, destination: { write: (line) => lines.push(line) } });
  });
  afterEach(() => configureLogger({ level: "silent", pretty: false }));

  it("never contain a password or a token, whatever the outcome of the call", async () => {
    const username = `l${newId().slice(-12)}`;
    const email = `${username}@example.com`;
    const secrets = { password: "planted-pass-4711", wrong: "planted-wrong-4711", rubbish: "planted-token-4711" };
    const { password } = secrets;
    const account = { full_name: "Ada", username, email, password, confirm_password: password, terms_accepted: true };
    const { body } = await service.call("post", "/auth/register", { body: account });
    const { accessToken, refreshToken } = body.data;
    const calls = [
      await service.call("post", "/auth/register", { body: account }),
      await service.call("post", "/auth/register", { body: { ...account, extra: password } }),
      await service.call("post", "/auth/login", { body: { identifier: username, password } }),
      await service.call("post", "/auth/login", { body: { identifier: username, password: secrets.wrong } }),
      await service.call("post", "/auth/login", { body: `{"identifier":"a","password":"${password}"` }),
      await service.call("get", "/users/me", { token: accessToken }),
      await service.call("get", `/users/me?token=${accessToken}`, { token: secrets.rubbish }),
      await service.call("get", `/nowhere/${refreshToken}`, { token: accessToken }),
      await service.call("post", "/auth/refresh", { body: { refreshToken } }),
      await service.call("post", "/auth/refresh", { body: { refreshToken: secrets.rubbish } }),
      await service.call("post", "/auth/logout", { body: { refreshToken } }),
    ];
    await query("ALTER TABLE wallets RENAME TO wallets_away");
    try {
      const other = { ...account, username: `${username}2`, email: `2${email}` };
      calls.push(await service.call("post", "/auth/register", { body: other, token: accessToken }));
    } finally {
      await query("ALTER TABLE wallets_away RENAME TO wallets");
    }
    expect(calls.map(({ status }) => status)).to.deep.equal([
      409, 400, 200, 401, 400, 200, 401, 404, 200, 401, 200, 500,
    ]);
    const log = lines.join("");
    expect(log).to.include("request failed").and.include("/auth/register");
    const second = calls[8]?.body.data;
    for (const secret of [
      ...Object.values(secrets),
      accessToken,
      refreshToken,
      second.accessToken,
      second.refreshToken,
    ])
      expect(log.includes(secret), secret).to.equal(false);
  });

  it("redact secrets by their names", () => {
    const planted = "planted-token-4711";
    logger.info({ token: planted, password: planted, body: { password: planted, refreshToken: planted } }, "a");
    logger.warn({ req: { headers: { authorization: planted, cookie: planted } }, secret: planted }, "b");
    expect(lines).to.have.length(2);
    expect(lines.join("")).not.to.include(planted);
  });
});
