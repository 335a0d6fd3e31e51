import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { issueAccessToken } from "./access-token.ts";
import type { Tokens } from "./open-session.ts";
import { hashRefreshToken, newRefreshToken } from "./refresh-token.ts";
import { revokeSession } from "./revoke-sessions.ts";
import { refreshTokenInvalid } from "./sessions.errors.ts";

interface TokenRow {
  session_id: string;
  user_id: string;
  session_ended: boolean;
  expired: boolean;
  /** It has a successor for longer than two tabs, or a lost answer, would explain. */
  used_before: boolean;
}

/**
 * Gives a new access token and a new refresh token for a refresh token. A token that comes a second time within 10 s
 * gets a successor of its own: two tabs do that, and a client whose answer was lost. Later it is in two hands, and the
 * session ends with every token of it (RFC 9700, 4.14.2).
 * @throws REFRESH_TOKEN_INVALID, ACCOUNT_SUSPENDED
 */
export async function refreshSession(refreshToken: string): Promise<Tokens> {
  const tokenHash = hashRefreshToken(refreshToken);
  const token = await inTransaction(async (tx) => {
    const found = await lockToken(tx, tokenHash);
    if (!found) throw refreshTokenInvalid();
    const usable = !found.session_ended && !found.expired;
    // A refusal would roll this back, so it is thrown after the commit.
    if (usable && found.used_before) await revokeSession(tx, found.session_id, "refresh token used twice");
    const successor = usable && !found.used_before ? await rotate(tx, found.session_id, tokenHash) : undefined;
    return { ...found, successor };
  });
  if (token.successor)
    return { accessToken: issueAccessToken(token.user_id, token.session_id), refreshToken: token.successor };
  throw (await isSuspended(token.user_id)) ? new DomainError("ACCOUNT_SUSPENDED") : refreshTokenInvalid();
}

/** The row lock decides between calls that come with one token at the same moment. */
async function lockToken(tx: Tx, tokenHash: Buffer): Promise<TokenRow | undefined> {
  const [row] = await tx.query<TokenRow>(
    `SELECT t.session_id, s.user_id, s.revoked_at IS NOT NULL OR s.expires_at <= now() AS session_ended,
       t.expires_at <= now() AS expired, coalesce(t.used_at < clock_timestamp() - interval '10 seconds', false) AS used_before
     FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id
     WHERE t.token_hash = $1 FOR NO KEY UPDATE OF t, s`,
    [tokenHash],
  );
  return row;
}

async function rotate(tx: Tx, sessionId: string, usedHash: Buffer): Promise<string> {
  const successor = newRefreshToken();
  await tx.query(
    `WITH used AS (
       UPDATE refresh_tokens SET used_at = coalesce(used_at, clock_timestamp()) WHERE token_hash = $1
     ), session AS (
       UPDATE sessions SET last_used_at = now() WHERE id = $2 RETURNING id, expires_at
     )
     INSERT INTO refresh_tokens (token_hash, session_id, expires_at)
     SELECT $3, id, least(now() + interval '30 days', expires_at) FROM session`,
    [usedHash, sessionId, hashRefreshToken(successor)],
  );
  return successor;
}

/** Asked after the transaction: a suspension that this call waited for is seen only by a newer snapshot. */
async function isSuspended(userId: string): Promise<boolean> {
  const user = await queryOne<{ suspended: boolean }>(
    "SELECT status = 'suspended' AS suspended FROM users WHERE id = $1",
    [userId],
  );
  return user?.suspended ?? false;
}
