import { expect } from "chai";
import type { Permission } from "#shared/contracts/permissions.ts";
import { loadPlays } from "#shared/testing/load-plays.ts";
import type { Answer } from "#shared/testing/service.ts";
import type { Route } from "../http/route.ts";

// The plays stand in the matrix, and change nothing else in it.
await loadPlays();
const { permissions, serverPermissions } = await import("#shared/contracts/permissions.ts");
const { query } = await import("#shared/db/query.ts");
const { loadSettings } = await import("#shared/domain/base/settings/settings.ts");
const { buildAdmin, buildServerKey } = await import("#shared/testing/admins.ts");
const { buildReseller } = await import("#shared/testing/catalogue.ts");
const { buildUser } = await import("#shared/testing/factories.ts");
const { noEngine, useService } = await import("#shared/testing/service.ts");
const { exampleOf } = await import("../docs/example-of.ts");
const { adminRoutes } = await import("./routes.ts");

/** What stops a caller at the door; an operation can also refuse them by its own rules. */
const refusals = ["UNAUTHENTICATED", "FORBIDDEN", "MFA_REQUIRED"];

/** All operations but the login, which anyone may call. */
const guarded = adminRoutes({ actors: noEngine }).filter(({ auth }) => auth !== "anyone");

describe("who may call an operation of the admin API", () => {
  const service = useService();
  let strangers: Record<string, string | undefined>;
  before(async () => {
    const holder = await buildReseller();
    strangers = {
      "without a token": undefined,
      "a user": (await buildUser()).token,
      "a key holder": holder.token,
      "the owner of the keys": holder.owner.token,
      "the secret key": holder.key.secret_key,
    };
  });
  // The examples of some operations change settings, which all tests of this process share. Server keys are few.
  afterEach(async () => {
    await query("DELETE FROM server_keys");
    await query("DELETE FROM settings");
    await loadSettings();
  });

  const ask = ({ method, path, params, body }: Route, token?: string, wrong?: object): Promise<Answer> => {
    const examples = params ? (exampleOf(params) as Record<string, string>) : {};
    return service.admin(
      method,
      path.replace(/:(\w+)/g, (_match, name: string) => examples[name]!),
      { ...(token && { token }), ...(method !== "get" && { body: wrong ?? (body ? exampleOf(body) : {}) }) },
    );
  };
  /** Returns what stopped the call, and what the audit log has of it. */
  async function doorOf(route: Route, token?: string, wrong?: object) {
    const answer = await ask(route, token, wrong);
    const { code = "ok", message = "" } = answer.body.error ?? {};
    const byItsRules = code === "FORBIDDEN" && !/^Your role doesn't have the permission |^A server key /.test(message);
    const entries = await query(
      "SELECT action, principal_id AS by, target_id AS operation, after FROM audit_log WHERE request_id = $1",
      [answer.headers.get("x-request-id")],
    );
    return { door: refusals.includes(code) && !byItsRules ? code : "admitted", code, entries };
  }

  for (const route of guarded)
    it(`${route.method} ${route.path}`, async () => {
      const { permission } = route;
      const [without, withIt, root] = [
        await buildAdmin(permissions.filter((other) => other !== permission)),
        await buildAdmin(permission === "none" || !permission ? [] : [permission]),
        await buildAdmin(),
      ];

      expect(permission, "its permission").to.be.a("string");
      for (const [name, token] of Object.entries(strangers))
        expect(await doorOf(route, token), name).to.deep.equal({
          door: "UNAUTHENTICATED",
          code: "UNAUTHENTICATED",
          entries: [],
        });
      if (route.body) {
        const { code, entries } = await doorOf(route, root.token, { no_such_field: 1 });
        expect([code, entries], "an invalid body").to.deep.equal(["VALIDATION_ERROR", []]);
      }
      const refused = await doorOf(route, without.token);
      if (permission === "none") expect(refused.door, "all other permissions").to.equal("admitted");
      else
        expect(refused, "all other permissions").to.deep.equal({
          door: "FORBIDDEN",
          code: "FORBIDDEN",
          entries: [{ action: "access.refuse", by: without.id, operation: route.id, after: { missing: permission } }],
        });
      const keyless = await buildServerKey(serverPermissions.filter((other) => other !== permission));
      const isOfPeople = permission === "none" || !(serverPermissions as readonly string[]).includes(permission!);
      expect(await doorOf(route, keyless.key), "a server key with all others").to.deep.equal({
        door: "FORBIDDEN",
        code: "FORBIDDEN",
        entries: [{ action: "access.refuse", by: keyless.id, operation: route.id, after: { missing: permission } }],
      });
      const holders = {
        ...{ "only this permission": withIt, "super administrator": root },
        ...(!isOfPeople && { "a server key": { token: (await buildServerKey([permission as Permission])).key } }),
      };
      for (const [name, { token }] of Object.entries(holders)) {
        const { door, code, entries } = await doorOf(route, token);
        expect(door, name).to.equal("admitted");
        const failed = code !== "ok" && code !== "FORBIDDEN";
        if (failed || !route.audit) expect(entries, `${name}: ${code}`).to.deep.equal([]);
      }
    });

  for (const { path } of guarded.filter(({ csv }) => csv))
    it(`keeps the download of ${path} out of caches`, async () => {
      const { headers } = await service.admin("get", `${path}?format=csv`, { token: (await buildAdmin()).token });
      const [type, caching] = [headers.get("content-type"), headers.get("cache-control")];
      expect([type, caching]).to.deep.equal(["text/csv; charset=utf-8", "no-store"]);
    });
});
