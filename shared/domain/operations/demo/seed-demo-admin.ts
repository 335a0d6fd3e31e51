import { queryOne } from "#shared/db/query.ts";
import { alone } from "#shared/db/transaction.ts";
import { createSuperAdmin } from "#shared/domain/operations/admins/create-super-admin.ts";
import { demoPassword } from "./demo-data.ts";
import type { DemoLogin } from "./demo-logins.ts";

export const demoAdminEmail = "demo-admin@example.com";
/** Approves the demo run beside the demo administrator, with a password that is told to no one. */
export const secondAdminEmail = "second-demo-admin@example.com";

/**
 * Creates a super administrator with a public password, unless there is an administrator. Returns the login while it
 * works.
 */
export async function seedDemoAdmin(): Promise<DemoLogin | undefined> {
  if (!(await queryOne("SELECT FROM admins LIMIT 1")))
    await createSuperAdmin({ email: demoAdminEmail, fullName: "Demo Administrator", password: demoPassword });
  const usable = await queryOne("SELECT FROM admins WHERE email = $1 AND status = 'active'", [demoAdminEmail]);
  return usable && { username: demoAdminEmail, password: demoPassword };
}

/** Suspends the demo administrators: a development database that goes into production isn't open to everyone. */
export async function suspendDemoAdmins(): Promise<void> {
  await alone(
    "UPDATE admins SET status = 'suspended', version = version + 1 WHERE email = ANY ($1) AND status = 'active'",
    [[demoAdminEmail, secondAdminEmail]],
  );
}
