import { expect } from "chai";
import { query } from "#shared/db/query.ts";
import { configureLoginLimits } from "#shared/domain/identity/accounts/login-limits.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin, buildAdminSession } from "#shared/testing/admins.ts";
import { useService } from "#shared/testing/service.ts";

describe("access to the admin API", () => {
  const service = useService();
  const logIn = (email: string, password: string) => service.admin("post", "/login", { body: { email, password } });
  const codeOf = async (token: string) => (await service.admin("get", "/me", { token })).body.error?.code ?? "ok";
  const auditOf = (requestId: string | null) =>
    query("SELECT action, principal_id, target_id FROM audit_log WHERE request_id = $1", [requestId]);

  it("lets an administrator in who was created on the command line", async () => {
    const email = `${newId()}@example.com`;
    await createSuperAdmin({ email, fullName: "Root", password: "correct horse battery" });

    const { status, body, headers } = await logIn(email.toUpperCase(), "correct horse battery");
    const me = await service.admin("get", "/me", { token: body.data.token });

    expect(status).to.equal(200);
    expect(headers.get("cache-control")).to.equal("no-store");
    expect(me.body.data).to.deep.equal(body.data.admin);
    expect(me.body.data).to.include({ email, role: "super_admin", mfa_enabled: false });
    expect(me.body.data.permissions).to.include.members(["admins.write", "users.adjust_balance"]);
  });

  it("fails in the same way for every reason, and writes each attempt to the audit log", async () => {
    const [admin, suspended] = [await buildAdmin(), await buildAdmin()];
    await query("UPDATE admins SET status = 'suspended' WHERE id = $1", [suspended.id]);

    const wrong = await logIn(admin.email, "another password");
    const unknown = await logIn(`${newId()}@example.com`, admin.password);
    const stopped = await logIn(suspended.email, suspended.password);
    const right = await logIn(admin.email, admin.password);

    expect([unknown.status, unknown.body]).to.deep.equal([401, wrong.body]);
    expect([stopped.status, stopped.body]).to.deep.equal([401, wrong.body]);
    const entries = await Promise.all(
      [wrong, unknown, stopped, right].map(({ headers }) => auditOf(headers.get("x-request-id"))),
    );
    expect(entries).to.deep.equal([
      [{ action: "admin.log_in_failed", principal_id: null, target_id: admin.id }],
      [{ action: "admin.log_in_failed", principal_id: null, target_id: "unknown" }],
      [{ action: "admin.log_in_failed", principal_id: null, target_id: suspended.id }],
      [{ action: "admin.log_in", principal_id: admin.id, target_id: admin.id }],
    ]);
  });

  it("limits guesses apart from those of users", async () => {
    const admin = await buildAdmin();
    configureLoginLimits({ enabled: true });
    try {
      const codes: string[] = [];
      for (let count = 0; count < 11; count += 1)
        codes.push((await logIn(admin.email, "a wrong password")).body.error.code);
      const user = await service.call("post", "/auth/login", {
        body: { identifier: admin.email, password: "a wrong password" },
      });

      expect(codes).to.deep.equal([...Array(10).fill("INVALID_CREDENTIALS"), "RATE_LIMITED"]);
      expect(user.body.error.code).to.equal("INVALID_CREDENTIALS");
    } finally {
      configureLoginLimits({ enabled: false });
    }
  });

  it("ends with a logout", async () => {
    const admin = await buildAdmin();

    const { status, body } = await service.admin("post", "/logout", { token: admin.token });

    expect([status, body.data]).to.deep.equal([200, { id: admin.sessionId }]);
    expect(await codeOf(admin.token)).to.equal("UNAUTHENTICATED");
  });

  it("ends with the session, the account, or the hour", async () => {
    const admin = await buildAdmin();
    const [second, expired] = [await buildAdminSession(admin.id), await buildAdminSession(admin.id)];
    await query("UPDATE admin_sessions SET expires_at = now() WHERE id = $1", [expired.sessionId]);

    const listed = await service.admin("get", "/me/sessions", { token: admin.token });
    await service.admin("delete", `/me/sessions/${second.sessionId}`, { token: admin.token });
    const again = await service.admin("delete", `/me/sessions/${second.sessionId}`, { token: admin.token });

    expect(listed.body.data.items.map(({ id }: { id: string }) => id)).to.deep.equal([
      second.sessionId,
      admin.sessionId,
    ]);
    expect(again.body.error.code).to.equal("NOT_FOUND");
    expect([await codeOf(second.token), await codeOf(expired.token)]).to.deep.equal([
      "UNAUTHENTICATED",
      "UNAUTHENTICATED",
    ]);
    await query("UPDATE admins SET status = 'suspended' WHERE id = $1", [admin.id]);
    expect(await codeOf(admin.token)).to.equal("ACCOUNT_SUSPENDED");
  });

  it("keeps only the current session when the password changes", async () => {
    const admin = await buildAdmin();
    const other = await buildAdminSession(admin.id);
    const change = (current_password: string, password: string) =>
      service.admin("post", "/me/password", { token: admin.token, body: { current_password, password } });

    const guessed = await change("a wrong password", "an entirely new password");
    const common = await change(admin.password, "password1234");
    const changed = await change(admin.password, "an entirely new password");

    expect([guessed.body.error.code, common.body.error.code, changed.status]).to.deep.equal([
      "INVALID_CREDENTIALS",
      "VALIDATION_ERROR",
      200,
    ]);
    expect([await codeOf(admin.token), await codeOf(other.token)]).to.deep.equal(["ok", "UNAUTHENTICATED"]);
    expect((await logIn(admin.email, admin.password)).status).to.equal(401);
    expect((await logIn(admin.email, "an entirely new password")).status).to.equal(200);
  });

  it("is not for pages of other origins", async () => {
    const allowed = async (path: string) => {
      const { headers } = await fetch(`${service.url}${path}`, { headers: { origin: "https://evil.example" } });
      return headers.get("access-control-allow-origin");
    };

    expect([
      await allowed("/api/v1/config/public"),
      await allowed("/api/v1/admin/me"),
      await allowed("/API/v1/Admin/me"),
    ]).to.deep.equal(["*", null, null]);
  });
});
