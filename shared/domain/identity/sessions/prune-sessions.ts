import { deleteBatch } from "#shared/db/batches.ts";

/**
 * Deletes sessions 30 days after they ended, with their tokens, and expired refresh tokens: at most `most` of each.
 * Returns how many rows. A job calls it until none are left.
 */
export async function pruneSessions(most = 5000): Promise<number> {
  const expired = { from: "refresh_tokens", key: "token_hash", where: "expires_at < now()" };
  const ended = { from: "sessions", key: "id", where: "least(revoked_at, expires_at) < now() - interval '30 days'" };
  return (await deleteBatch(expired, most)) + (await deleteBatch(ended, most));
}
