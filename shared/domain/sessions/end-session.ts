import { inTransaction } from "#shared/db/transaction.ts";
import { hashRefreshToken } from "./refresh-token.ts";
import { revokeSession } from "./revoke-sessions.ts";
import { refreshTokenInvalid } from "./sessions.errors.ts";

/**
 * Logs out: ends the session that a refresh token belongs to, whether or not the token has been used. A second call
 * finds it ended and is content.
 * @throws REFRESH_TOKEN_INVALID when there is no such token.
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
