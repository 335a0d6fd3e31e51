import { expect } from "chai";
import { botRights } from "#shared/contracts/bot-rights.ts";
import type { AdminPrincipal, Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin, buildServerKey } from "#shared/testing/admins.ts";
import { closeClients, connectSocket } from "#shared/testing/clients/clients.ts";
import { buildRoom, buildUser } from "#shared/testing/factories.ts";
import { clientOf, noEngine, useService } from "#shared/testing/service.ts";
import { catalogueApi } from "../../../catalogue-api.ts";
import { makeRateLimits } from "../../../http/rate-limit.ts";
import type { RouteEntry } from "../../../http/route.ts";
import { apiRoutes } from "../../../routes.ts";
import { socialApi } from "../../../social-api.ts";

describe("server keys", () => {
  const service = useService();
  let root: BuiltAdmin;
  before(async () => {
    root = await buildAdmin();
  });
  afterEach(closeClients);

  const admin = (method: string, path: string, body?: object, token = root.token) =>
    service.admin(method, path, { token, ...(body && { body }) });
  async function build(more: object = {}, token = root.token): Promise<{ id: string; key: string }> {
    const { body } = await admin("post", "/server-keys", { name: "Feed", permissions: ["users.read"], ...more }, token);
    return body.data;
  }
  async function buildBot(id: string): Promise<string> {
    const username = `bot_${newId().slice(-10)}`;
    return (await admin("post", `/server-keys/${id}/bots`, { username, full_name: "Quiz" })).body.data.user_id;
  }
  const as = (key: string, bot: string, method: string, path: string, body?: object) =>
    service.call(method, path, { token: key, headers: { "act-as": bot }, ...(body && { body }) });
  const statusOf = async (key: string) => (await admin("get", "/users?limit=1", undefined, key)).status;
  const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
    body.error?.code ?? status;

  it("call in the name of who made them, and stand in the audit log", async () => {
    const { id, key } = await build({ permissions: ["coin_packages.read", "coin_packages.write"] });
    const made = await admin("post", "/coin-packages", { name: "Handful", coins: 10, price: "0.99" }, key);
    expect(codeOf(made)).to.not.equal("FORBIDDEN");
    const refused = await admin("get", "/users", undefined, key);
    expect(codeOf(refused)).to.equal("FORBIDDEN");
    const [entry] = await query("SELECT action, principal_kind, principal_id FROM audit_log WHERE request_id = $1", [
      refused.headers.get("x-request-id"),
    ]);
    expect(entry).to.deep.equal({ action: "access.refuse", principal_kind: "server_key", principal_id: id });
    const shown = (await admin("get", `/server-keys/${id}`)).body.data;
    expect(shown).to.include({ created_by: root.id, name: "Feed" });
    expect(Date.parse(shown.last_used_at)).to.be.closeTo(Date.now(), 60_000);
    const stored = await query("SELECT k::text AS row FROM server_keys k UNION ALL SELECT a::text FROM audit_log a");
    expect(JSON.stringify(stored)).not.to.include(key);
    const { items } = (await admin("get", `/audit-logs?action=access.refuse`)).body.data;
    expect(items[0]).to.include({ actor_kind: "server_key", actor_id: id });
  });

  it("open no other door", async () => {
    const [{ key }, room] = [await build({ permissions: ["users.write"] }), await buildRoom()];
    expect((await service.call("get", "/users/me", { token: key })).status).to.equal(401);
    expect((await clientOf(service.url, catalogueApi())("get", "/orders", { token: key })).status).to.equal(401);
    const socket = await connectSocket(service.url, key).then(
      () => "connected",
      (error: { data?: { code: string } }) => error.data?.code,
    );
    expect(socket).to.equal("UNAUTHENTICATED");
    const message = await service.call("post", `/rooms/${room.id}/messages`, { token: key, body: { body: "Hi" } });
    expect(message.status).to.equal(401);
  });

  it("never have more than who made them, also later", async () => {
    const some = await buildAdmin(["users.read", "server_keys.write", "server_keys.read"]);
    const more = { name: "More", permissions: ["users.read", "users.suspend"] };
    expect(codeOf(await admin("post", "/server-keys", more, some.token))).to.equal("FORBIDDEN");
    for (const permission of ["roles.write", "admins.write", "server_keys.write", "reports.listen"])
      expect(codeOf(await admin("post", "/server-keys", { name: "X", permissions: [permission] }))).to.equal(
        "VALIDATION_ERROR",
      );
    const { id, key } = await build({}, some.token);
    expect(codeOf(await admin("patch", `/server-keys/${id}`, { permissions: ["users.suspend"] }, some.token))).to.equal(
      "FORBIDDEN",
    );
    expect(await statusOf(key)).to.equal(200);
    await query("UPDATE roles SET permissions = '{server_keys.read}' WHERE id = $1", [some.roleId]);
    expect(await statusOf(key)).to.equal(403);
    await query("UPDATE roles SET permissions = '{users.read}' WHERE id = $1", [some.roleId]);
    expect(await statusOf(key)).to.equal(200);
    await query("UPDATE admins SET status = 'suspended' WHERE id = $1", [some.id]);
    expect(await statusOf(key)).to.equal(401);
  });

  it("aren't given to other administrators, who may only revoke them", async () => {
    const [{ id, key }, other] = [await build(), await buildAdmin()];
    for (const [method, path, body] of [
      ["post", "/rotate", {}],
      ["patch", "", { permissions: ["users.write"] }],
      ["post", "/bots", { username: `bot_${newId().slice(-10)}`, full_name: "Quiz" }],
    ] as const)
      expect(codeOf(await admin(method, `/server-keys/${id}${path}`, body, other.token)), path).to.equal("FORBIDDEN");
    expect((await admin("delete", `/server-keys/${id}`, undefined, other.token)).status).to.equal(200);
    expect(await statusOf(key)).to.equal(401);
  });

  it("work for a while after a rotation, and until they expire", async () => {
    const { id, key } = await build();
    const second = (await admin("post", `/server-keys/${id}/rotate`, { overlap_hours: 1 })).body.data.key;
    expect([await statusOf(key), await statusOf(second)]).to.deep.equal([200, 200]);
    await query("UPDATE server_keys SET previous_until = now() WHERE id = $1", [id]);
    expect([await statusOf(key), await statusOf(second)]).to.deep.equal([401, 200]);
    const third = (await admin("post", `/server-keys/${id}/rotate`, { overlap_hours: 0 })).body.data.key;
    expect([await statusOf(second), await statusOf(third)]).to.deep.equal([401, 200]);
    await query("UPDATE server_keys SET expires_at = now() WHERE id = $1", [id]);
    expect(await statusOf(third)).to.equal(401);
  });

  it("are counted by themselves, with their bots", async () => {
    const [{ id }, limits] = [await build(), makeRateLimits({ enabled: true })];
    const key = { kind: "admin", serverKey: { id, callsPerMinute: 3 } } as AdminPrincipal;
    const bot = { kind: "user", userId: newId(), actedBy: key } as UserPrincipal;
    const api = { basePath: "/x", rateLimits: socialApi({ actors: noEngine }).rateLimits };
    const limit = limits.of(api, { method: "get", path: "/x", auth: "user" } as RouteEntry);
    const count = (caller: Principal) =>
      limit.count({} as never, caller).then(
        () => "ok",
        ({ code }) => code,
      );
    expect([await count(key), await count(bot), await count(bot), await count(key), await count(bot)]).to.deep.equal([
      ...["ok", "ok", "ok", "RATE_LIMITED", "RATE_LIMITED"],
    ]);
  });

  it("act as their bots, and each call is in the audit log", async () => {
    const [{ id, key }, room] = [await build({ permissions: [] }), await buildRoom()];
    const bot = await buildBot(id);
    const me = await as(key, bot, "get", "/users/me");
    expect(me.body.data).to.include({ id: bot, full_name: "Quiz" });
    const [follows] = [await as(key, bot, "post", `/users/${room.host.id}/follow`)];
    expect(codeOf(follows)).to.not.be.oneOf(["UNAUTHENTICATED", "FORBIDDEN"]);
    const entries = await query(
      `SELECT principal_kind, principal_id, after FROM audit_log
       WHERE action = 'server_key.act_as' AND target_id = $1 ORDER BY seq`,
      [bot],
    );
    const by = { principal_kind: "server_key", principal_id: id };
    expect(entries).to.deep.equal([
      { ...by, after: { operation: "getMe" } },
      { ...by, after: { operation: "followUser" } },
    ]);
  });

  it("act as no one else", async () => {
    const [one, other, user] = [await build(), await build(), await buildUser()];
    const bot = await buildBot(other.id);
    for (const id of [user.id, root.id, bot, newId(), "me", ""])
      expect(codeOf(await as(one.key, id, "get", "/users/me")), id).to.equal("UNAUTHENTICATED");
    expect((await as(other.key, bot, "get", "/users/me")).status).to.equal(200);
    // A bot is no administrator, whatever its key may.
    expect(codeOf(await service.admin("get", "/me", { token: other.key, headers: { "act-as": root.id } }))).to.equal(
      "FORBIDDEN",
    );
    await admin("delete", `/server-keys/${other.id}`);
    expect((await as(other.key, bot, "get", "/users/me")).status).to.equal(401);
  });

  it("move no coins as a bot, and change nothing of how it logs in", async () => {
    const { id, key } = await build();
    const [bot, friend] = [await buildBot(id), await buildUser()];
    const writes = apiRoutes({ actors: noEngine }).filter(
      ({ auth, method }) => auth.startsWith("user") && method !== "get",
    );
    expect([...botRights].filter((name) => !writes.some((route) => route.id === name))).to.deep.equal([]);
    const refused = writes.filter((route) => !botRights.has(route.id));
    for (const name of [
      "sendGift",
      "createCoinOrder",
      "exchangeEarnings",
      "requestPayout",
      "passOnCoins",
      "linkIdentity",
    ])
      expect(refused.map((route) => route.id)).to.include(name);
    for (const route of refused) {
      const answer = await as(key, bot, route.method, route.path.replace(/:\w+/g, friend.id), {});
      expect(codeOf(answer), route.id).to.equal("FORBIDDEN");
    }
    expect((await as(key, bot, "get", "/wallet")).body.data.balance).to.equal(0);
  });

  it("of a super administrator do nothing that takes a person", async () => {
    const { key } = await buildServerKey(["users.read"]);
    for (const [method, path] of [
      ["get", "/me"],
      ["post", "/me/password"],
      ["post", "/mfa/disable"],
      ["post", "/logout"],
      ["post", "/roles"],
      ["post", "/server-keys"],
    ] as const)
      expect(codeOf(await admin(method, path, method === "get" ? undefined : {}, key)), path).to.equal("FORBIDDEN");
  });
});
