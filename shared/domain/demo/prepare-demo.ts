import { seedDemo } from "./seed-demo.ts";
import { seedDemoAdmin, suspendDemoAdmin } from "./seed-demo-admin.ts";

/** Adds demo data in development, and returns its logins. In production, the demo administrator can't log in. */
export async function prepareDemo(environment: "development" | "test" | "production") {
  if (environment === "production") await suspendDemoAdmin();
  if (environment !== "development") return { demoLogins: [] };
  const demoLogins = await seedDemo();
  const demoAdmin = await seedDemoAdmin();
  return { demoLogins, ...(demoAdmin && { demoAdmin }) };
}
