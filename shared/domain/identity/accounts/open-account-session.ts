import type { Tx } from "#shared/db/transaction.ts";
import { assertMayEnter } from "#shared/domain/identity/sanctions/covered.ts";
import { type ClientDevice, type OpenedSession, openSession } from "#shared/domain/identity/sessions/open-session.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { invalidCredentials } from "./accounts.errors.ts";
import { assertSecondFactor } from "./own-second-factor.ts";

/** What has proved that the caller is the account's owner. */
export interface ProvenWay {
  /** The provider of the identity: `password`, `phone`, `google`, … */
  readonly provider: string;
  /** The hash that a password was compared with: the login fails if the account has another one by now. */
  readonly passwordHash?: string;
  /** A code of the second factor, which only a password needs. */
  readonly code?: string | undefined;
}

/**
 * Step: opens a session of an account whose owner has proved themselves. Cancels a pending deletion. The lock on the
 * user's row orders this login before or after a suspension, a new password, or a deletion: before, they revoke its
 * session; after, it fails, or cancels the deletion.
 * @throws INVALID_CREDENTIALS when the account is deleted, has another password, or the code isn't accepted,
 *   ACCOUNT_SUSPENDED, SANCTIONED, MFA_REQUIRED, RATE_LIMITED
 */
export async function openAccountSession(
  tx: Tx,
  userId: string,
  { provider, passwordHash, code }: ProvenWay,
  device: ClientDevice,
): Promise<OpenedSession> {
  const [user] = await tx.query<{ status: string; mfa_enabled: boolean }>(
    `SELECT status, totp_confirmed_at IS NOT NULL AS mfa_enabled FROM users WHERE id = $1 AND status <> 'deleted' AND ($2::text IS NULL OR password_hash = $2)
     FOR NO KEY UPDATE`,
    [userId, passwordHash ?? null],
  );
  if (!user) throw invalidCredentials();
  if (user.status === "suspended") throw new DomainError("ACCOUNT_SUSPENDED");
  if (passwordHash !== undefined && user.mfa_enabled) await assertSecondFactor(tx, userId, code);
  if (user.status === "deletion_pending") await cancelDeletion(tx, userId);
  await tx.send("UPDATE identities SET last_used_at = now() WHERE user_id = $1 AND provider = $2", [userId, provider]);
  await assertMayEnter(tx, userId, device);
  return openSession(tx, userId, device, provider);
}

async function cancelDeletion(tx: Tx, userId: string): Promise<void> {
  await User.change(tx, { id: userId }, { status: "active", deletion_due_at: null });
  await enqueueAccountMail(tx, userId, "deletion_cancelled");
}
