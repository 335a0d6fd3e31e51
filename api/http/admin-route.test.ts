import { expect } from "chai";
import express from "express";
import { id, line, object, optional, text } from "#shared/contracts/fields.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { AuditEntry } from "#shared/db/audit.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { changeSettings, settingsInput } from "#shared/domain/base/settings/change-settings.ts";
import { loadSettings } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { type CallOptions, clientOf, noEngine } from "#shared/testing/service.ts";
import { useApp } from "#shared/testing/use-app.ts";
import { socialApi } from "../social-api.ts";
import { type AdminRoute, adminRead, adminWrite } from "./admin-route.ts";
import type { Api } from "./api.ts";
import { mount } from "./mount.ts";
import { assignRequestId } from "./observe.ts";
import { makeRateLimits } from "./rate-limit.ts";

const noLimits = makeRateLimits({ enabled: false });
const social = socialApi({ actors: noEngine });
const user = newId();
/** What the command of the suspension writes, whatever its route declares. */
let written: Pick<AuditEntry, "action" | "target">[] = [];
const declared = { action: "user.suspend", target: { type: "user", id: user } };

const entry = { tag: "Tests", summary: "An entry", permission: "users.suspend", response: text(1, 100) } as const;
const writeEntries = (caller: AdminPrincipal) =>
  inTransaction(async (tx) => {
    for (const each of written) await tx.audit(caller, each);
  });

const read = adminRead({
  ...entry,
  id: "getUser",
  method: "get",
  path: "/users/:id",
  permission: "users.read",
  params: object({ id: id() }),
  handler: async ({ caller }) => {
    await writeEntries(caller);
    return caller.role;
  },
});
const suspend = adminWrite({
  ...entry,
  id: "suspendUser",
  method: "post",
  path: "/users/:id/suspend",
  params: object({ id: id() }),
  audit: { action: "user.suspend", target: ({ params }) => ({ type: "user", id: params.id }) },
  handler: async ({ caller }) => {
    await writeEntries(caller);
    return "suspended";
  },
});
const create = adminWrite({
  ...entry,
  id: "createGift",
  method: "post",
  path: "/gifts",
  body: object({ name: line(1, 80), audited: optional(id()) }),
  idempotent: true,
  audit: { action: "gift.create", target: () => ({ type: "gift" }) },
  handler: ({ caller, body, idempotency }) =>
    inTransaction(async (tx) => {
      const giftId = newId();
      await tx.audit(caller, { action: "gift.create", target: { type: "gift", id: body.audited ?? giftId } });
      return giftId;
    }, idempotency),
});
const change = adminWrite({
  ...entry,
  id: "changeSettings",
  method: "patch",
  path: "/settings",
  body: settingsInput,
  audit: {
    action: "setting.change",
    target: ({ body }) => Object.keys(body).map((key) => ({ type: "setting", id: key })),
  },
  handler: async ({ caller, body }) => {
    await changeSettings(caller, body);
    return "changed";
  },
});

const admin = adminCaller();
const granted = new Set<string>();
const api: Api<AdminRoute> = {
  ...social,
  basePath: "/api/v1/admin",
  routes: [read, suspend, create, change],
  authenticate: async ({ res }) => ({ ...admin, role: "reader", requestId: String(res!.locals.requestId) }),
  authorize: (_caller, { permission }) => {
    if (!granted.has(permission)) throw new DomainError("FORBIDDEN");
  },
};

describe("an admin API", () => {
  useDatabase();
  const served = useApp(
    express()
      .use(assignRequestId)
      .use(api.basePath, mount(api, noLimits))
      .use(social.basePath, mount(social, noLimits)),
  );
  const ask = (method: string, path: string, options?: CallOptions) => clientOf(served.url, api)(method, path, options);
  const failureOf = (call: Promise<unknown>) => call.then(() => "none", String);

  beforeEach(() => {
    granted.clear();
    granted.add("users.read").add("users.suspend");
    written = [];
  });

  it("rejects an administrator without the permission", async () => {
    granted.delete("users.suspend");
    const allowed = await ask("get", `/users/${user}`);
    const refused = await ask("post", `/users/${user}/suspend`);

    expect([allowed.status, allowed.body.data]).to.deep.equal([200, "reader"]);
    expect([refused.status, refused.body.error.code]).to.deep.equal([403, "FORBIDDEN"]);
  });

  it("is not mounted without a check of permissions", () => {
    const { authorize: _none, ...unchecked } = api;

    expect(() => mount(unchecked, noLimits)).to.throw("permissions");
  });

  it("leaves the audit entry that the route declares", async () => {
    written = [declared];

    expect((await ask("post", `/users/${user}/suspend`)).status).to.equal(200);
  });

  for (const [wrong, entries] of [
    ["none", []],
    ["two", [declared, declared]],
    ["another action", [{ ...declared, action: "user.ban" }]],
    ["another type of target", [{ ...declared, target: { type: "room", id: user } }]],
    ["another target", [{ ...declared, target: { type: "user", id: newId() } }]],
  ] as const)
    it(`fails its test if it leaves ${wrong}`, async () => {
      written = [...entries];

      expect(await failureOf(ask("post", `/users/${user}/suspend`))).to.include("must leave 1 audit entries");
    });

  it("fails its test if a read is audited", async () => {
    written = [declared];

    expect(await failureOf(ask("get", `/users/${user}`))).to.include("must leave 0 audit entries");
  });

  it("audits a new resource by the ID in its response, once for a repeated call", async () => {
    const options = { body: { name: "Rose" }, headers: { "idempotency-key": newId() } };
    const first = await ask("post", "/gifts", options);
    const again = await ask("post", "/gifts", options);
    const other = ask("post", "/gifts", { body: { name: "Rose", audited: newId() } });

    expect(again.body).to.deep.equal(first.body);
    expect(await failureOf(other)).to.include("must leave 1 audit entries");
  });

  it("leaves an entry for each of several targets", async () => {
    const { status } = await ask("patch", "/settings", { body: { minimum_age: 16, app_name: "Murmur" } });
    await query("DELETE FROM settings");
    await loadSettings();

    expect(status).to.equal(200);
  });
});
