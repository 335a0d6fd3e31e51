import { expect } from "chai";
import type { Permission } from "#shared/contracts/permissions.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin, buildRole } from "#shared/testing/admins.ts";
import { useService } from "#shared/testing/service.ts";
import { until } from "#shared/testing/until.ts";

const managing: Permission[] = ["roles.read", "roles.write", "admins.read", "admins.write"];

describe("roles and administrators", () => {
  const service = useService();
  const call = (by: BuiltAdmin, method: string, path: string, body?: object) =>
    service.admin(method, path, { token: by.token, ...(body && { body }) });
  const codeOf = async (...args: Parameters<typeof call>) => (await call(...args)).body.error?.code ?? "ok";
  const roleName = () => `role_${newId().slice(-12)}`;
  const newAdmin = (role_id: string) => ({
    email: `${newId()}@example.com`,
    full_name: "Grace Hopper",
    password: "an entirely new password",
    role_id,
  });

  it("takes effect at the next call when a role changes", async () => {
    const [root, admin] = [await buildAdmin(), await buildAdmin(["gifts.read"])];
    const before = await codeOf(admin, "get", "/gift-categories");

    const { body } = await call(root, "put", `/roles/${admin.roleId}/permissions`, {
      permissions: ["gift_categories.read"],
    });

    expect([
      before,
      await codeOf(admin, "get", "/gift-categories"),
      await codeOf(admin, "get", "/gifts"),
    ]).to.deep.equal(["FORBIDDEN", "ok", "FORBIDDEN"]);
    expect(body.data).to.deep.include({ permissions: ["gift_categories.read"], version: 2 });
  });

  it("lets no one give or take away permissions that they lack, by a role or by an administrator", async () => {
    const manager = await buildAdmin([...managing, "gifts.read"]);
    const [weaker, stronger] = [await buildRole(["gifts.read"]), await buildRole(["gifts.write"])];
    const [equal, superior, root] = [
      await buildAdmin(["gifts.read"]),
      await buildAdmin(["gifts.write"]),
      await buildAdmin(),
    ];
    const set = (role: string, permissions: Permission[]) =>
      codeOf(manager, "put", `/roles/${role}/permissions`, { permissions });
    const change = (admin: BuiltAdmin, body: object) => codeOf(manager, "patch", `/admins/${admin.id}`, body);

    expect({
      newRole: await codeOf(manager, "post", "/roles", { name: roleName(), permissions: ["gifts.write"] }),
      ownRole: await set(manager.roleId, managing),
      raise: await set(weaker, ["gifts.write"]),
      strip: await set(stronger, []),
      superRole: await set(root.roleId, []),
      appoint: await codeOf(manager, "post", "/admins", newAdmin(stronger)),
      appointRoot: await codeOf(manager, "post", "/admins", newAdmin(root.roleId)),
      promote: await change(equal, { role_id: stronger }),
      demote: await change(superior, { role_id: weaker }),
      suspendSuperior: await change(superior, { status: "suspended" }),
      takeOver: await change(root, { password: "an entirely new password" }),
      raiseOneself: await change(manager, { role_id: stronger }),
    }).to.deep.equal({
      newRole: "FORBIDDEN",
      ownRole: "FORBIDDEN",
      raise: "FORBIDDEN",
      strip: "FORBIDDEN",
      superRole: "FORBIDDEN",
      appoint: "FORBIDDEN",
      appointRoot: "FORBIDDEN",
      promote: "FORBIDDEN",
      demote: "FORBIDDEN",
      suspendSuperior: "FORBIDDEN",
      takeOver: "FORBIDDEN",
      raiseOneself: "FORBIDDEN",
    });
    expect([
      await codeOf(manager, "post", "/roles", { name: roleName(), permissions: ["gifts.read"] }),
      await set(weaker, ["gifts.read", "roles.read"]),
      await codeOf(manager, "post", "/admins", newAdmin(weaker)),
      await change(equal, { role_id: weaker, status: "suspended" }),
    ]).to.deep.equal(["ok", "ok", "ok", "ok"]);
  });

  it("lets a new administrator log in, and writes no personal data to the audit log", async () => {
    const root = await buildAdmin();
    const admin = newAdmin(await buildRole(["gifts.read"]));

    const { body, headers } = await call(root, "post", "/admins", admin);
    const login = await service.admin("post", "/login", { body: { email: admin.email, password: admin.password } });
    const [entry] = await query<{ after: object }>("SELECT after FROM audit_log WHERE request_id = $1", [
      headers.get("x-request-id"),
    ]);

    expect(JSON.stringify(body)).not.to.include("password");
    expect(login.body.data.admin.permissions).to.deep.equal(["gifts.read"]);
    expect(entry?.after).to.deep.include({
      email: "(not recorded)",
      full_name: "(not recorded)",
      role_id: admin.role_id,
    });
    expect(JSON.stringify(entry)).not.to.match(/argon2|example\.com|Grace/);
  });

  it("ends what is open when an administrator is suspended, or gets a new password", async () => {
    const [root, first, second] = [await buildAdmin(), await buildAdmin(), await buildAdmin()];

    await call(root, "patch", `/admins/${first.id}`, { status: "suspended" });
    await call(root, "patch", `/admins/${second.id}`, { password: "an entirely new password" });
    const reactivated = await call(root, "patch", `/admins/${first.id}`, { status: "active" });

    expect(reactivated.body.data.status).to.equal("active");
    expect([await codeOf(first, "get", "/me"), await codeOf(second, "get", "/me")]).to.deep.equal([
      "UNAUTHENTICATED",
      "UNAUTHENTICATED",
    ]);
  });

  const weakRole = () => buildRole(["gifts.read"]);
  for (const [name, first, second] of [
    ["suspend each other", async () => ({ status: "suspended" }), async () => ({ status: "suspended" })],
    ["demote each other", async () => ({ role_id: await weakRole() }), async () => ({ role_id: await weakRole() })],
    [
      "suspend and demote each other",
      async () => ({ status: "suspended" }),
      async () => ({ role_id: await weakRole() }),
    ],
  ] as const)
    it(`keeps the last super administrator when two ${name}`, async () => {
      const [one, other] = [await buildAdmin(), await buildAdmin()];
      await query(
        `UPDATE admins SET status = 'suspended' FROM roles
         WHERE roles.id = role_id AND roles.name = 'super_admin' AND admins.id <> ALL ($1::uuid[])`,
        [[one.id, other.id]],
      );

      const changes = [await first(), await second()];
      const codes = await Promise.all([
        codeOf(one, "patch", `/admins/${other.id}`, changes[0]),
        codeOf(other, "patch", `/admins/${one.id}`, changes[1]),
      ]);
      const left = await query<{ id: string }>(
        "SELECT admins.id FROM admins JOIN roles ON roles.id = role_id WHERE roles.name = 'super_admin' AND status = 'active'",
      );
      const survivor = left[0]!.id === one.id ? one : other;

      expect(codes.filter((code) => code === "ok")).to.have.length(1);
      expect(left).to.have.length(1);
      expect([
        await codeOf(survivor, "patch", `/admins/${survivor.id}`, { status: "suspended" }),
        await codeOf(survivor, "patch", `/admins/${survivor.id}`, { role_id: await weakRole() }),
        await codeOf(survivor, "patch", `/admins/${survivor.id}`, { mfa_enabled: false }),
        await codeOf(survivor, "get", "/me"),
      ]).to.deep.equal(["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "ok"]);
    });

  /** Does something while a call waits that was authenticated before it. */
  async function duringCall(call: () => Promise<string>, change: string, values: readonly unknown[]): Promise<string> {
    const pending = await inTransaction(async (tx) => {
      await tx.query("SELECT FROM roles WHERE name = 'super_admin' FOR UPDATE");
      const [own] = await tx.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      const answer = call();
      await until("the call waits", async () => {
        const waiting = await tx.query("SELECT 1 FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))", [
          own!.pid,
        ]);
        return waiting.length > 0;
      });
      await tx.query(change, values);
      return { answer };
    });
    return pending.answer;
  }

  it("checks permissions as they are when the change is made, not when the call came", async () => {
    await buildAdmin();
    const build = async () => ({
      manager: await buildAdmin([...managing, "gifts.read"]),
      weak: await buildRole(["gifts.read"]),
      equal: await buildAdmin(["gifts.read"]),
    });
    type Built = Awaited<ReturnType<typeof build>>;
    const calls: Record<string, (built: Built) => Promise<string>> = {
      createRole: ({ manager }) => codeOf(manager, "post", "/roles", { name: roleName(), permissions: ["gifts.read"] }),
      setRole: ({ manager, weak }) => codeOf(manager, "put", `/roles/${weak}/permissions`, { permissions: [] }),
      appoint: ({ manager, weak }) => codeOf(manager, "post", "/admins", newAdmin(weak)),
      takeOver: ({ manager, equal }) =>
        codeOf(manager, "patch", `/admins/${equal.id}`, { password: "an entirely new password" }),
    };
    const strip = "UPDATE roles SET permissions = '{}' WHERE id = $1";
    const suspend = "UPDATE admins SET status = 'suspended' WHERE id = $1";
    const outcomes: Record<string, string> = {};
    for (const [name, call] of Object.entries(calls)) {
      const [first, second] = [await build(), await build()];
      outcomes[`${name}, stripped`] = await duringCall(() => call(first), strip, [first.manager.roleId]);
      outcomes[`${name}, suspended`] = await duringCall(() => call(second), suspend, [second.manager.id]);
    }
    const third = await build();
    outcomes["takeOver of one who is promoted"] = await duringCall(
      () => calls.takeOver!(third),
      "UPDATE roles SET permissions = '{gifts.write}' WHERE id = $1",
      [third.equal.roleId],
    );

    for (const [name, outcome] of Object.entries(outcomes))
      expect(outcome, name).to.equal(name.endsWith("suspended") ? "UNAUTHENTICATED" : "FORBIDDEN");
  });

  it("has no role but super_admin with all permissions, whatever its name", async () => {
    const root = await buildAdmin();
    const create = (name: string, permissions: string[]) => codeOf(root, "post", "/roles", { name, permissions });

    expect({
      same: await create("super_admin", ["gifts.read"]),
      upper: await create("Super_Admin", ["gifts.read"]),
      all: await create(roleName(), ["*"]),
      unknown: await create(roleName(), ["gifts.own"]),
    }).to.deep.equal({
      same: "CONFLICT",
      upper: "VALIDATION_ERROR",
      all: "VALIDATION_ERROR",
      unknown: "VALIDATION_ERROR",
    });
  });

  it("lets two managers raise neither each other nor a third by their roles", async () => {
    const [one, other] = [
      await buildAdmin([...managing, "gifts.read"]),
      await buildAdmin([...managing, "gifts.write"]),
    ];
    const third = await buildAdmin(["roles.read"]);
    const set = (by: BuiltAdmin, role: string, more: Permission[]) =>
      codeOf(by, "put", `/roles/${role}/permissions`, { permissions: [...managing, ...more] });

    expect([
      await set(one, other.roleId, ["gifts.read"]),
      await set(other, one.roleId, ["gifts.write"]),
      await codeOf(one, "patch", `/admins/${other.id}`, { role_id: one.roleId }),
      await set(one, third.roleId, ["gifts.read"]),
      await set(other, third.roleId, ["gifts.read", "gifts.write"]),
      await codeOf(one, "patch", `/admins/${third.id}`, { role_id: other.roleId }),
    ]).to.deep.equal(["FORBIDDEN", "FORBIDDEN", "FORBIDDEN", "ok", "FORBIDDEN", "FORBIDDEN"]);
  });
});
