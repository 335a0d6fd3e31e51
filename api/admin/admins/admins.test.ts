import { expect } from "chai";
import type { Permission } from "#shared/contracts/permissions.ts";
import { query } from "#shared/db/query.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type BuiltAdmin, buildAdmin, buildRole } from "#shared/testing/admins.ts";
import { useService } from "#shared/testing/service.ts";

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

  it("keeps the last super administrator when two suspend each other", async () => {
    const [one, other] = [await buildAdmin(), await buildAdmin()];
    await query(
      `UPDATE admins SET status = 'suspended' FROM roles
       WHERE roles.id = role_id AND roles.name = 'super_admin' AND admins.id <> ALL ($1::uuid[])`,
      [[one.id, other.id]],
    );

    const codes = await Promise.all([
      codeOf(one, "patch", `/admins/${other.id}`, { status: "suspended" }),
      codeOf(other, "patch", `/admins/${one.id}`, { status: "suspended" }),
    ]);
    const left = await query(
      `SELECT 1 FROM admins JOIN roles ON roles.id = role_id WHERE roles.name = 'super_admin' AND status = 'active'`,
    );

    expect(codes.filter((code) => code === "ok")).to.have.length(1);
    expect(left).to.have.length(1);
  });
});
