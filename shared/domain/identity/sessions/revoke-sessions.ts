import type { Tx } from "#shared/db/transaction.ts";
import { noteRevokedSessions } from "./revocations.ts";

/** Why a session ended, as stored. */
export type RevokeReason =
  | "logout"
  | "ended from another device"
  | "refresh token used twice"
  | "password reset"
  | "deletion requested"
  | "suspended"
  | "frozen"
  | "ended by the provider of the login"
  | "ended by an administrator";

/** The maximum of ids in one signal: 150 stay well below its 8000 bytes. */
const idsPerSignal = 150;

/** Step: ends a session, with its refresh and access tokens, everywhere. Does nothing if it has ended. */
export async function revokeSession(tx: Tx, sessionId: string, reason: RevokeReason): Promise<void> {
  const revoked = await tx.query<{ id: string }>(
    "UPDATE sessions SET revoked_at = now(), revoked_reason = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id",
    [sessionId, reason],
  );
  await signalRevoked(tx, revoked);
}

/** Step: ends every session of a user, or those that one way in has opened. Returns how many were open. */
export async function revokeSessionsOf(
  tx: Tx,
  userId: string,
  reason: RevokeReason,
  way: string | null = null,
): Promise<number> {
  const revoked = await tx.query<{ id: string }>(
    `UPDATE sessions SET revoked_at = now(), revoked_reason = $2
     WHERE id IN (
       SELECT id FROM sessions WHERE user_id = $1 AND revoked_at IS NULL AND ($3::text IS NULL OR way = $3)
       ORDER BY id FOR NO KEY UPDATE)
     RETURNING id`,
    [userId, reason, way],
  );
  await signalRevoked(tx, revoked);
  return revoked.length;
}

async function signalRevoked(tx: Tx, revoked: { id: string }[]): Promise<void> {
  const ids = revoked.map(({ id }) => id);
  for (let from = 0; from < ids.length; from += idsPerSignal)
    await tx.signal("session.revoked", { session_ids: ids.slice(from, from + idsPerSignal) });
  // The signal reaches this process a moment later; the session must not get through until then.
  if (ids.length > 0) tx.afterCommit(() => noteRevokedSessions(ids));
}
