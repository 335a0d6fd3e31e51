import { countChanges } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";

/**
 * Step: erases everything personal from an account that was due for deletion at `now` (ISO 8601). The bare id remains,
 * because the ledger and other people's data refer to it. Returns whether the account is deleted and other features
 * have data of it to erase.
 */
export async function eraseAccount(tx: Tx, userId: string, now: string): Promise<boolean> {
  const [account] = await tx.query<{ status: string; due: boolean; erased: boolean }>(
    `SELECT status, coalesce(deletion_due_at <= $2, false) AS due, erased_at IS NOT NULL AS erased FROM users
     WHERE id = $1 FOR UPDATE`,
    [userId, now],
  );
  if (account?.status === "deleted") return !account.erased;
  if (account?.status !== "deletion_pending" || !account.due) return false;
  await tx.query(
    `UPDATE users SET status = 'deleted', username = $2, email = NULL, mobile = NULL, full_name = '', password_hash = '',
       date_of_birth = NULL, bio = '', country = NULL, avatar_url = NULL, cover_url = NULL, settings = '{}',
       language = NULL,
       suspended_at = NULL, suspended_reason = NULL, email_verified_at = NULL, mobile_verified_at = NULL,
       last_seen_at = NULL, deletion_due_at = NULL, is_guest = false, guest_ended_at = NULL,
       username_made = false, totp_secret_sealed = NULL, totp_confirmed_at = NULL
     WHERE id = $1`,
    [userId, usernameOfDeleted(userId)],
  );
  await tx.query("DELETE FROM age_signals WHERE user_id = $1", [userId]);
  await tx.query("DELETE FROM user_recovery_codes WHERE user_id = $1", [userId]);
  return true;
}

/** Derived from the random part of the id, so it is unique; such names are reserved. */
const usernameOfDeleted = (userId: string): string => `deleted_${userId.replaceAll("-", "").slice(-20)}`;

/** Step: deletes a user's codes and reset tokens. Returns how many. */
export const eraseCodes = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    "DELETE FROM verification_codes WHERE user_id = $1 RETURNING 1",
    "DELETE FROM password_resets WHERE user_id = $1 RETURNING 1",
  );
