import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { noteReactivatedUser, noteSuspendedUser } from "#shared/domain/sessions/revocations.ts";
import { revokeSessionsOf } from "#shared/domain/sessions/revoke-sessions.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Suspends an active account: ends its sessions, closes its connections, and rejects logins until it is reactivated.
 * Rooms and connections of every process are notified by a domain event and a signal.
 * @throws NOT_FOUND, CONFLICT when the account is not active
 */
export async function suspendUser(principal: Principal, userId: string, reason: string): Promise<void> {
  await inTransaction(async (tx) => {
    const suspended = await tx.query(
      `UPDATE users SET status = 'suspended', suspended_at = now(), suspended_reason = $2
       WHERE id = $1 AND status = 'active' RETURNING 1`,
      [userId, reason],
    );
    if (suspended.length === 0) throw await wrongStatus(tx, userId, "This account isn't active.");

    // The account first, then its sessions: connections that get both signals close with the right error.
    await tx.signal("user.suspended", { user_id: userId });
    tx.afterCommit(() => noteSuspendedUser(userId));
    await revokeSessionsOf(tx, userId, "suspended");
    await tx.publish("user.suspended", { user_id: userId });
    await tx.audit(principal, {
      action: "user.suspend",
      target: { type: "user", id: userId },
      before: { status: "active" },
      after: { status: "suspended" },
      reason,
    });
  });
}

/**
 * Lifts a suspension. The sessions that it ended stay ended: the user logs in again.
 * @throws NOT_FOUND, CONFLICT when the account is not suspended
 */
export async function reactivateUser(principal: Principal, userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const reactivated = await tx.query(
      `UPDATE users SET status = 'active', suspended_at = NULL, suspended_reason = NULL
       WHERE id = $1 AND status = 'suspended' RETURNING 1`,
      [userId],
    );
    if (reactivated.length === 0) throw await wrongStatus(tx, userId, "This account isn't suspended.");

    await tx.signal("user.reactivated", { user_id: userId });
    tx.afterCommit(() => noteReactivatedUser(userId));
    await tx.audit(principal, {
      action: "user.reactivate",
      target: { type: "user", id: userId },
      before: { status: "suspended" },
      after: { status: "active" },
    });
  });
}

/** Returns the error for an account that isn't in the status that a change needs. */
async function wrongStatus(tx: Tx, userId: string, message: string): Promise<DomainError> {
  const found = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status <> 'deleted'", [userId]);
  return found.length === 0 ? new DomainError("NOT_FOUND") : new DomainError("CONFLICT", message);
}
