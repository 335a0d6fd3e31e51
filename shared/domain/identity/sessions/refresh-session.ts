import type { Tokens } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { issueAccessToken } from "./access-token.ts";
import { hashRefreshToken, successorOf } from "./refresh-token.ts";
import { revokeSession } from "./revoke-sessions.ts";
import { refreshTokenInvalid } from "./sessions.errors.ts";
import { type StandingRow, standingColumns, standingOf } from "./standing.ts";

interface TokenRow extends StandingRow {
  session_id: string;
  user_id: string;
  usable: boolean;
  used: boolean;
  /** Whether it was used longer ago than a second tab, or a lost answer, would explain. */
  used_long_ago: boolean;
}

/**
 * Exchanges a refresh token for a new access token and the next refresh token. A token has one successor, derived from
 * it: when it comes again within 10 s (a second tab, a client whose answer was lost), the answer has the same one. When
 * it comes later, or after its successor was used, it has been stolen, and the session ends with all its tokens
 * (RFC 9700, 4.14.2). So a session has one living refresh token at any time.
 * @throws REFRESH_TOKEN_INVALID, ACCOUNT_SUSPENDED
 */
export async function refreshSession(refreshToken: string, ip?: string): Promise<Tokens> {
  const successor = successorOf(refreshToken);
  const { token, granted } = await inTransaction(async (tx) => {
    const token = await lockToken(tx, hashRefreshToken(refreshToken));
    if (!token) throw refreshTokenInvalid();

    if (!token.usable) return { token, granted: false };
    if (!token.used) {
      await rotate(tx, token.session_id, hashRefreshToken(refreshToken), hashRefreshToken(successor), ip);
      return { token, granted: true };
    }

    const isRetry = !token.used_long_ago && (await isUnused(tx, hashRefreshToken(successor)));
    // An error would roll this back, so it is thrown after the commit.
    if (!isRetry) await revokeSession(tx, token.session_id, "refresh token used twice");
    return { token, granted: isRetry };
  });

  if (granted)
    return {
      accessToken: issueAccessToken(token.user_id, token.session_id, standingOf(token)),
      refreshToken: successor,
    };
  throw (await isSuspended(token.user_id)) ? new DomainError("ACCOUNT_SUSPENDED") : refreshTokenInvalid();
}

/** The row lock serialises concurrent calls with one token. */
async function lockToken(tx: Tx, tokenHash: Buffer): Promise<TokenRow | undefined> {
  const [row] = await tx.query<TokenRow>(
    `SELECT t.session_id, s.user_id, ${standingColumns},
       s.revoked_at IS NULL AND s.expires_at > now() AND t.expires_at > now() AS usable,
       t.used_at IS NOT NULL AS used,
       coalesce(t.used_at < clock_timestamp() - interval '10 seconds', false) AS used_long_ago
     FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id
     WHERE t.token_hash = $1 FOR NO KEY UPDATE OF t, s`,
    [tokenHash],
  );
  return row;
}

/** A statement of its own: the one that waited for the lock does not see what was inserted meanwhile. */
async function isUnused(tx: Tx, tokenHash: Buffer): Promise<boolean> {
  const found = await tx.query("SELECT 1 FROM refresh_tokens WHERE token_hash = $1 AND used_at IS NULL", [tokenHash]);
  return found.length > 0;
}

async function rotate(
  tx: Tx,
  sessionId: string,
  usedHash: Buffer,
  successorHash: Buffer,
  ip: string | undefined,
): Promise<void> {
  // The INSERT reads from `used`, so that the old token is used before the index sees two that are not.
  await tx.query(
    `WITH used AS (
       UPDATE refresh_tokens SET used_at = clock_timestamp() WHERE token_hash = $1 RETURNING 1
     ), session AS (
       UPDATE sessions SET last_used_at = now(), ip = coalesce($4, ip) WHERE id = $2 RETURNING id, expires_at
     )
     INSERT INTO refresh_tokens (token_hash, session_id, expires_at)
     SELECT $3, id, least(now() + interval '30 days', expires_at) FROM session, used`,
    [usedHash, sessionId, successorHash, ip ?? null],
  );
}

/** Queried after the transaction: a suspension that this call waited for is seen only by a newer snapshot. */
async function isSuspended(userId: string): Promise<boolean> {
  const user = await queryOne<{ suspended: boolean }>(
    "SELECT status = 'suspended' AS suspended FROM users WHERE id = $1",
    [userId],
  );
  return user?.suspended ?? false;
}
