import { seedAgency } from "./seed-agency.ts";
import { demoKeys, revokeDemoKeys } from "./seed-catalogue.ts";
import { seedDemo } from "./seed-demo.ts";
import { seedDemoAdmin, suspendDemoAdmins } from "./seed-demo-admin.ts";
import { seedPurchases } from "./seed-purchases.ts";

/**
 * Adds demo data in development, and returns its logins. In production, the demo administrators can't log in, and the
 * demo keys are revoked.
 */
export async function prepareDemo(environment: "development" | "test" | "production") {
  if (environment === "production") await Promise.all([suspendDemoAdmins(), revokeDemoKeys()]);
  if (environment !== "development") return { demoLogins: [] };
  const demoLogins = await seedDemo();
  await seedPurchases();
  const demoAdmin = await seedDemoAdmin();
  await seedAgency();
  return { demoLogins, ...(demoLogins.length > 0 && { demoKeys }), ...(demoAdmin && { demoAdmin }) };
}
