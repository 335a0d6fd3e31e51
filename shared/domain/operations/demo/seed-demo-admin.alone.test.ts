import "#shared/testing/access/access-tokens.ts";
import { expect } from "chai";
import { query, queryColumn } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { createSuperAdmin, ensureSuperAdminRole } from "#shared/domain/operations/admins/create-super-admin.ts";
import { logInAdmin } from "#shared/domain/operations/admins/log-in-admin.ts";
import { newId } from "#shared/kernel/ids.ts";
import { useDatabase } from "#shared/testing/database.ts";
import { outcomeOf } from "#shared/testing/people.ts";
import { seedDemoAdmin, suspendDemoAdmins } from "./seed-demo-admin.ts";

describe("the demo administrator", () => {
  useDatabase();
  before("starts without administrators", async () => {
    await query("UPDATE admins SET email = id || '@example.com' WHERE email = 'demo-admin@example.com'");
    await query("DELETE FROM admin_sessions");
    await query("DELETE FROM admin_recovery_codes");
    await query("DELETE FROM admins");
  });

  it("logs in during development, and not in production", async () => {
    const [demo, again] = [await seedDemoAdmin(), await seedDemoAdmin()];
    const logIn = () =>
      logInAdmin(
        { email: demo!.username, password: demo!.password },
        { ip: "127.0.0.1", userAgent: "tests", requestId: newId() },
      );

    await createSuperAdmin({ email: "second-demo-admin@example.com", fullName: "Second", password: newId() });
    const { admin } = await logIn();
    await suspendDemoAdmins();

    expect(again).to.deep.equal(demo);
    expect(admin.role).to.equal("super_admin");
    expect(await outcomeOf(logIn())).to.equal("INVALID_CREDENTIALS");
    expect(await seedDemoAdmin()).to.equal(undefined);
    expect(await queryColumn("SELECT DISTINCT status FROM admins")).to.deep.equal(["suspended"]);
  });

  it("brings roles for usual jobs to a new service only: one that was deleted stays away", async () => {
    const names = () => queryColumn("SELECT name FROM roles ORDER BY name");
    await seedDemoAdmin();
    expect(await names()).to.deep.equal(["catalogue", "finance", "moderator", "reader", "super_admin", "support"]);

    await query("DELETE FROM roles WHERE name = 'reader'");
    await inTransaction((tx) => ensureSuperAdminRole(tx));
    expect(await names()).not.to.include("reader");
  });
});
