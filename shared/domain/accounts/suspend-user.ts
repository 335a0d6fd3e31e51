import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { noteReactivatedUser, noteSuspendedUser } from "#shared/domain/sessions/revocations.ts";
import { revokeSessionsOf } from "#shared/domain/sessions/revoke-sessions.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Suspends an active account: its sessions end, its connections are closed, and it cannot log in until it is
 * reactivated. Everybody who is told of this (rooms, connections) is told by event and signal, on every process.
 * @throws NOT_FOUND, CONFLICT when the account is not active.
 */
export async function suspendUser(principal: Principal, userId: string, reason: string): Promise<void> {
  await inTransaction(async (tx) => {
    const suspended = await tx.query(
      `UPDATE users SET status = 'suspended', suspended_at = now(), suspended_reason = $2
       WHERE id = $1 AND status = 'active' RETURNING 1`,
      [userId, reason],
    );
    if (suspended.length === 0) throw await whyNot(tx.query, userId, "The account is not active.");
    // First the account, then its sessions: whoever is told of both closes its connections for the true reason.
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
 * Takes a suspension back. The sessions that it ended stay ended: the person logs in again.
 * @throws NOT_FOUND, CONFLICT when the account is not suspended.
 */
export async function reactivateUser(principal: Principal, userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const reactivated = await tx.query(
      `UPDATE users SET status = 'active', suspended_at = NULL, suspended_reason = NULL
       WHERE id = $1 AND status = 'suspended' RETURNING 1`,
      [userId],
    );
    if (reactivated.length === 0) throw await whyNot(tx.query, userId, "The account is not suspended.");
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

async function whyNot(
  query: (text: string, values: unknown[]) => Promise<object[]>,
  userId: string,
  message: string,
): Promise<DomainError> {
  const found = await query("SELECT 1 FROM users WHERE id = $1 AND status <> 'deleted'", [userId]);
  return found.length === 0 ? new DomainError("NOT_FOUND") : new DomainError("CONFLICT", message);
}
