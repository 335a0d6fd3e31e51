import type { Principal } from "#shared/contracts/principal.ts";
import { now } from "#shared/db/model.ts";
import { queryColumn } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { revokeTokensOf } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { endRecordedSuspension, recordSuspension } from "#shared/domain/identity/sanctions/keep-out.ts";
import { noteReactivatedUser, noteSuspendedUser } from "#shared/domain/identity/sessions/revocations.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";

/** The states that an account can be suspended in, and returns to. */
type LiveStatus = "active" | "deletion_pending";

/** A suspension that has not ended. */
interface Suspension {
  readonly reason: string;
  /** When the suspension ends, in ISO 8601. If absent, it ends when an administrator reactivates the account. */
  readonly until?: string | undefined;
  /** What the user is told. Default: the reason. */
  readonly told?: string | undefined;
}

/**
 * Suspends an active account, or one that waits for its deletion: ends its sessions, closes its connections, and
 * rejects logins until it is reactivated. A pending deletion stands still meanwhile, so that asking for it evades
 * nothing. Rooms and connections of every process are notified by a domain event and a signal.
 * @throws NOT_FOUND, CONFLICT when the account is suspended already, VALIDATION_ERROR when `until` has passed
 */
export async function suspendUser(principal: Principal, userId: string, { reason, until }: Suspension): Promise<void> {
  assertInFuture(until);
  await inTransaction(async (tx) => {
    if (await suspendStep(tx, principal, userId, { reason, until })) return;
    throw await wrongStatus(tx, userId, "This account is suspended already.");
  });
}

/** Step: the same. Returns false if the account is suspended already, or deleted. */
export async function suspendStep(
  tx: Tx,
  principal: Principal,
  userId: string,
  { reason, until, told = reason }: Suspension,
): Promise<boolean> {
  const account = await User.lock(tx, { id: userId }, ["status"]);
  if (account?.status !== "active" && account?.status !== "deletion_pending") return false;
  const suspended = { suspended_at: now, suspended_reason: reason, suspended_until: until ?? null };
  await User.change(tx, { id: userId }, { status: "suspended", ...suspended });

  // The account first, then its sessions: connections that get both signals close with the right error.
  await tx.signal("user.suspended", { user_id: userId });
  tx.afterCommit(() => noteSuspendedUser(userId));
  await revokeSessionsOf(tx, userId, "suspended");
  await revokeTokensOf(tx, userId);
  await tx.publish("user.suspended", { user_id: userId });
  await recordSuspension(tx, principal, { user_id: userId, reason: told, until: until ?? null });
  await tx.audit(principal, {
    action: "user.suspend",
    target: { type: "user", id: userId },
    before: { status: account.status },
    after: { status: "suspended", ...(until && { until }) },
    reason,
  });
  return true;
}

/** @throws VALIDATION_ERROR */
export function assertInFuture(until: string | undefined): void {
  if (until !== undefined && Date.parse(until) <= Date.parse(isoNow()))
    throw invalidFields([{ field: "until", text: "until must be in the future" }]);
}

/**
 * Lifts a suspension: the account returns to the state that it was suspended in. The sessions that it ended stay ended:
 * the user logs in again.
 * @throws NOT_FOUND, CONFLICT when the account is not suspended
 */
export async function reactivateUser(principal: Principal, userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const status = await liftSuspension(tx, userId);
    if (!status) throw await wrongStatus(tx, userId, "This account isn't suspended.");

    await tx.audit(principal, {
      action: "user.reactivate",
      target: { type: "user", id: userId },
      before: { status: "suspended" },
      after: { status },
    });
  });
}

/** Lifts suspensions whose time is over, some at a time. Returns how many. Called by a job. */
export async function endSuspensions(most = 100): Promise<number> {
  const over = await queryColumn("SELECT id FROM users WHERE suspended_until <= $1 ORDER BY suspended_until LIMIT $2", [
    isoNow(),
    most,
  ]);
  // A suspension that was lifted, or imposed again for longer, since it was found does not end here.
  for (const id of over) await inTransaction((tx) => liftSuspension(tx, id, isoNow()));
  return over.length;
}

/**
 * Step: lifts a suspension, without an audit entry; if `overAt` is given, only one whose time is over then. Returns the
 * account's state, or undefined when nothing was lifted.
 */
export async function liftSuspension(tx: Tx, userId: string, overAt?: string): Promise<LiveStatus | undefined> {
  const [lifted] = await tx.query<{ status: LiveStatus }>(
    `UPDATE users SET suspended_at = NULL, suspended_reason = NULL, suspended_until = NULL,
       status = CASE WHEN deletion_due_at IS NULL THEN 'active' ELSE 'deletion_pending' END
     WHERE id = $1 AND status = 'suspended' AND ($2::timestamptz IS NULL OR suspended_until <= $2) RETURNING status`,
    [userId, overAt ?? null],
  );
  if (!lifted) return undefined;

  await endRecordedSuspension(tx, userId);
  await tx.signal("user.reactivated", { user_id: userId });
  tx.afterCommit(() => noteReactivatedUser(userId));
  await tx.publish("user.reactivated", { user_id: userId });
  return lifted.status;
}

/** Returns the error for an account that isn't in the status that a change needs. */
async function wrongStatus(tx: Tx, userId: string, message: string): Promise<DomainError> {
  const found = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status <> 'deleted'", [userId]);
  return found.length === 0 ? new DomainError("NOT_FOUND") : new DomainError("CONFLICT", message);
}
