import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { PendingDeletion } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { enqueueAccountMail } from "#shared/domain/identity/accounts/account-mail.ts";
import { revokeTokensOf } from "#shared/domain/identity/api-keys/api-tokens.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { erasureJob } from "./deletion-jobs.ts";

export const deletionDays = 14;

/** How long after the due time the job runs, seconds: clocks differ, and a job that runs too early does nothing. */
const lateSeconds = 300;

/**
 * Requests the deletion of the caller's account: hides it from others, ends its sessions and closes its connections.
 * After 14 days it is erased; a login before that cancels the deletion. A repeated request returns the same.
 * @throws UNAUTHENTICATED when the account is already deleted
 */
export const requestDeletion = ({ userId }: UserPrincipal): Promise<PendingDeletion> =>
  inTransaction((tx) => beginDeletion(tx, userId));

/** Step of `requestDeletion`. @throws ACCOUNT_SUSPENDED, UNAUTHENTICATED */
export async function beginDeletion(tx: Tx, userId: string): Promise<PendingDeletion> {
  const account = await User.lock(tx, { id: userId }, ["status", "deletion_due_at"]);
  if (account?.status === "suspended") throw new DomainError("ACCOUNT_SUSPENDED");
  if (account?.deletion_due_at) return { status: "deletion_pending", delete_at: account.deletion_due_at };
  if (account?.status !== "active") throw new DomainError("UNAUTHENTICATED");

  const dueAt = new Date(clock.now() + daysMs(deletionDays)).toISOString();
  await User.change(tx, { id: userId }, { status: "deletion_pending", deletion_due_at: dueAt });
  await revokeSessionsOf(tx, userId, "deletion requested");
  await revokeTokensOf(tx, userId);
  await tx.publish("user.deletion_requested", { user_id: userId });
  const afterSeconds = daysMs(deletionDays) / 1000 + lateSeconds;
  await tx.enqueue(erasureJob, { user_id: userId }, { afterSeconds });
  await enqueueAccountMail(tx, userId, "deletion_requested");
  return { status: "deletion_pending", delete_at: dueAt };
}
