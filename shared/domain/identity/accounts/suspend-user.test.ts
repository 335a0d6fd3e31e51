import { expect } from "chai";
import { service as serviceItself } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { verifyAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { refreshSession } from "#shared/domain/identity/sessions/refresh-session.ts";
import { newId } from "#shared/kernel/ids.ts";
import { buildAdmin } from "#shared/testing/admins.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { buildUser } from "#shared/testing/factories.ts";
import { adminCaller } from "#shared/testing/people.ts";
import { usePublishedEvents } from "#shared/testing/published-events.ts";
import { reactivateUser, suspendUser } from "./suspend-user.ts";

const codeOf = async (work: () => unknown) => {
  try {
    await work();
    return "done";
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe("suspendUser", () => {
  useDatabase();
  const published = usePublishedEvents();

  it("ends every session at once and publishes the event", async () => {
    const { id, token, refreshToken } = await buildUser();
    await suspendUser(serviceItself, id, { reason: "spam" });
    expect(await codeOf(() => verifyAccessToken(token))).to.equal("ACCOUNT_SUSPENDED");
    expect(await codeOf(() => refreshSession(refreshToken))).to.equal("ACCOUNT_SUSPENDED");
    const [user] = await query("SELECT status, suspended_reason FROM users WHERE id = $1", [id]);
    expect(user).to.deep.equal({ status: "suspended", suspended_reason: "spam" });
    expect(await published.of("user.suspended", { user_id: id })).to.deep.equal([{ user_id: id }]);
  });

  it("audits an administrator's suspension and reactivation", async () => {
    const { id } = await buildUser();
    const admin = { ...adminCaller(), adminId: (await buildAdmin()).id };

    await suspendUser(admin, id, { reason: "spam" });
    await reactivateUser(admin, id);

    const entries = await query(
      "SELECT principal_id, action, before, after, reason FROM audit_log WHERE target_id = $1 ORDER BY id",
      [id],
    );
    const [active, suspended] = [{ status: "active" }, { status: "suspended" }];
    const by = { principal_id: admin.adminId };
    expect(entries).to.deep.equal([
      { ...by, action: "user.suspend", before: active, after: suspended, reason: "spam" },
      { ...by, action: "user.reactivate", before: suspended, after: active, reason: null },
    ]);
  });

  it("leaves old tokens invalid after the reactivation", async () => {
    const { id, token, refreshToken } = await buildUser();
    await suspendUser(serviceItself, id, { reason: "spam" });
    await reactivateUser(serviceItself, id);
    expect(await codeOf(() => verifyAccessToken(token))).to.equal("UNAUTHENTICATED");
    expect(await codeOf(() => refreshSession(refreshToken))).to.equal("REFRESH_TOKEN_INVALID");
  });

  it("succeeds once, and only for an existing account", async () => {
    const { id } = await buildUser();
    expect(await codeOf(() => reactivateUser(serviceItself, id))).to.equal("CONFLICT");
    const both = await Promise.all([
      codeOf(() => suspendUser(serviceItself, id, { reason: "a" })),
      codeOf(() => suspendUser(serviceItself, id, { reason: "b" })),
    ]);
    expect(both).to.have.members(["done", "CONFLICT"]);
    expect(await codeOf(() => suspendUser(serviceItself, newId(), { reason: "a" }))).to.equal("NOT_FOUND");
    expect(await codeOf(() => reactivateUser(serviceItself, newId()))).to.equal("NOT_FOUND");
  });
});
