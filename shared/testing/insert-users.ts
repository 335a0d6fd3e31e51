import { defaultUserSettings } from "#shared/domain/identity/users/user-settings.ts";

type Query = (sql: string, values: readonly unknown[]) => Promise<readonly { id: string }[]>;

/**
 * Adds users without coins to a database: registering hundreds would take a minute, because each hashes a password.
 * Returns their IDs.
 */
export async function insertUsers(query: Query, count: number): Promise<string[]> {
  const rows = await query(
    `WITH added AS (
       INSERT INTO users (id, username, email, full_name, password_hash, settings)
       SELECT uuidv7(), 'load_' || $1 || '_' || i, 'load_' || $1 || '_' || i || '@example.com', 'Load Test', 'x', $2
       FROM generate_series(1, $3) i RETURNING id
     ), opened AS (INSERT INTO wallets (user_id, asset) SELECT id, 'coins' FROM added)
     SELECT id FROM added`,
    [Date.now().toString(36), JSON.stringify(defaultUserSettings), count],
  );
  return rows.map(({ id }) => id);
}
