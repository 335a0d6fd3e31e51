import { query } from "#shared/db/query.ts";

/**
 * Deletes sessions 30 days after they ended, with their tokens, and expired refresh tokens: at most `most` of each.
 * Returns how many rows. A job calls it until none are left.
 */
export async function pruneSessions(most = 5000): Promise<number> {
  const tokens = await query(
    `DELETE FROM refresh_tokens WHERE token_hash IN
       (SELECT token_hash FROM refresh_tokens WHERE expires_at < now() LIMIT $1) RETURNING 1`,
    [most],
  );
  const sessions = await query(
    `DELETE FROM sessions WHERE id IN (
       SELECT id FROM sessions WHERE least(revoked_at, expires_at) < now() - interval '30 days' LIMIT $1
     ) RETURNING 1`,
    [most],
  );
  return tokens.length + sessions.length;
}
