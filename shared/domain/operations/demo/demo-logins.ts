import { query } from "#shared/db/query.ts";
import { demoPassword, demoPeople } from "./demo-data.ts";

export interface DemoLogin {
  readonly username: string;
  readonly password: string;
}

/**
 * Returns the logins of the seeded people, not of a user who registered one of their names. `db` may be a transaction.
 */
export async function listDemoLogins(db: { query: typeof query } = { query }): Promise<DemoLogin[]> {
  const seeded = await db.query<{ username: string; email: string }>(
    "SELECT username, email FROM users WHERE username = ANY ($1::text[])",
    [demoPeople.map(({ username }) => username)],
  );
  return demoPeople
    .filter(({ username, email }) => seeded.some((user) => user.username === username && user.email === email))
    .map(({ username }) => ({ username, password: demoPassword }));
}
