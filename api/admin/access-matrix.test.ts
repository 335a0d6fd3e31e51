import { expect } from "chai";
import { permissions } from "#shared/contracts/permissions.ts";
import { query } from "#shared/db/query.ts";
import { loadSettings } from "#shared/domain/settings/settings.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { noEngine, useService } from "#shared/testing/service.ts";
import { exampleOf } from "../docs/example-of.ts";
import type { Route } from "../http/route.ts";
import { adminRoutes } from "./routes.ts";

/** What stops a caller at the door; an operation can also refuse them by its own rules. */
const refusals = ["UNAUTHENTICATED", "FORBIDDEN", "MFA_REQUIRED"];

/** All operations but the login, which anyone may call. */
const guarded = adminRoutes({ actors: noEngine }).filter(({ auth }) => auth !== "anyone");

describe("who may call an operation of the admin API", () => {
  const service = useService();
  // The examples of some operations change settings, which all tests of this process share.
  afterEach(async () => {
    await query("DELETE FROM settings");
    await loadSettings();
  });

  async function doorOf({ method, path, params, body }: Route, token?: string): Promise<string> {
    const examples = params ? (exampleOf(params) as Record<string, string>) : {};
    const answer = await service.admin(
      method,
      path.replace(/:(\w+)/g, (_match, name: string) => examples[name]!),
      {
        ...(token && { token }),
        ...(method !== "get" && { body: body ? exampleOf(body) : {} }),
      },
    );
    const { code = "ok", message = "" } = answer.body.error ?? {};
    const byItsRules = code === "FORBIDDEN" && !message.startsWith("Your role doesn't have the permission ");
    return refusals.includes(code) && !byItsRules ? code : "admitted";
  }

  for (const route of guarded)
    it(`${route.method} ${route.path}`, async () => {
      const { permission } = route;
      const others = permissions.filter((other) => other !== permission);
      const [user, without, withIt, root] = [
        await buildUser(),
        await buildAdmin(others),
        await buildAdmin(permission === "none" || !permission ? [] : [permission]),
        await buildAdmin(),
      ];

      expect(permission, "its permission").to.be.a("string");
      expect(await doorOf(route), "without a token").to.equal("UNAUTHENTICATED");
      expect(await doorOf(route, user.token), "a user").to.equal("UNAUTHENTICATED");
      expect(await doorOf(route, without.token), "all other permissions").to.equal(
        permission === "none" ? "admitted" : "FORBIDDEN",
      );
      expect(await doorOf(route, withIt.token), "only this permission").to.equal("admitted");
      expect(await doorOf(route, root.token), "super administrator").to.equal("admitted");
    });

  it("writes a refusal to the audit log", async () => {
    const admin = await buildAdmin([]);
    const route = guarded.find(({ permission }) => permission !== "none");
    if (!route) return;
    const answer = await service.admin(route.method, route.path, { token: admin.token });

    expect(
      await query("SELECT action, principal_id, target_id, after FROM audit_log WHERE request_id = $1", [
        answer.headers.get("x-request-id"),
      ]),
    ).to.deep.equal([
      { action: "access.refuse", principal_id: admin.id, target_id: route.id, after: { missing: route.permission } },
    ]);
  });
});
