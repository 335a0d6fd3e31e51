import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { hashRefreshToken } from "./refresh-token.ts";
import { revokeSession } from "./revoke-sessions.ts";
import { refreshTokenInvalid } from "./sessions.errors.ts";

/**
 * Logs out: ends the session of a refresh token, whether or not the token has been used. Idempotent.
 * @throws REFRESH_TOKEN_INVALID when there is no such token
 */
export async function endSession(refreshToken: string): Promise<void> {
  await inTransaction(async (tx) => {
    const [token] = await tx.query<{ session_id: string }>(
      "SELECT session_id FROM refresh_tokens WHERE token_hash = $1",
      [hashRefreshToken(refreshToken)],
    );
    if (!token) throw refreshTokenInvalid();
    await revokeSession(tx, token.session_id, "logout");
  });
}

/**
 * Ends a session of the caller, which may be the current one.
 * @throws NOT_FOUND when it isn't theirs, or has ended
 */
export async function endOwnSession(caller: UserPrincipal, sessionId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const own = await tx.query(
      "SELECT 1 FROM sessions WHERE id = $1 AND user_id = $2 AND revoked_at IS NULL AND expires_at > now() FOR NO KEY UPDATE",
      [sessionId, caller.userId],
    );
    if (own.length === 0) throw new DomainError("NOT_FOUND");
    await revokeSession(tx, sessionId, "ended from another device");
  });
}
