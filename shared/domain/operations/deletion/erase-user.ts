import type { Actors } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { firstToAnswer } from "#shared/domain/identity/accounts/addresses.ts";
import { eraseAccount } from "#shared/domain/identity/accounts/erase-account.ts";
import { deleteIdentities } from "#shared/domain/identity/sign-in/provider-tokens.ts";
import { openRoomsOf } from "#shared/domain/live/rooms/rooms.queries.ts";
import { endRenewals } from "#shared/domain/money/subscriptions/cancel-subscription.ts";
import { claimTickets } from "#shared/domain/operations/tickets/erase-tickets.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { erasureJob } from "./deletion-jobs.ts";
import { type EraseStep, eraseSteps } from "./erase-steps.ts";

/**
 * Erases an account whose deletion is due: first the account itself, which ends logins, then what every feature stores
 * of the user; the rooms that they host are closed. Only a bare id remains. Does nothing for other accounts. May fail
 * anywhere and run again, also concurrently: it continues where it ended.
 * @throws Error when a room cannot be closed now
 */
export async function eraseUser(
  userId: string,
  actors: Actors,
  steps: readonly EraseStep[] = eraseSteps,
): Promise<void> {
  if (!(await beginErasure(userId))) return;
  for (const roomId of await openRoomsOf(userId)) await closeRoom(actors, roomId);
  for (const step of steps) while ((await inTransaction((tx) => step(tx, userId))) > 0);
  await inTransaction(async (tx) => {
    const erased = await tx.query(
      "UPDATE users SET erased_at = $2 WHERE id = $1 AND status = 'deleted' AND erased_at IS NULL RETURNING 1",
      [userId, isoNow()],
    );
    if (erased.length > 0) await tx.publish("user.erased", { user_id: userId });
  });
  logger.info({ userId }, "an account was erased");
}

async function beginErasure(userId: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    // Tickets from an address that another account answers to are not this user's.
    const [account] = await tx.query<{ email: string | null }>(
      `SELECT email FROM users u WHERE id = $1 AND id = (
         SELECT id FROM users WHERE email = u.email ORDER BY ${firstToAnswer("email")} LIMIT 1)`,
      [userId],
    );
    const begun = await eraseAccount(tx, userId, isoNow());
    if (begun) await deleteIdentities(tx, userId);
    if (begun) await endRenewals(tx, userId);
    if (begun && account?.email) await claimTickets(tx, userId, account.email);
    return begun;
  });
}

/** By its actor, so that the people in the room are notified. */
async function closeRoom(actors: Actors, roomId: string): Promise<void> {
  const closed = await actors.voice(roomId, service, "room:close", { reason: "the host has left the service" });
  if (!closed.ok && closed.code !== "ROOM_CLOSED") throw DomainError.from(closed);
}

/** The maximum number of accounts in one run of `enqueueOverdue`; the others wait for the next hour. */
const overdueMax = 1000;

/**
 * Enqueues the erasure of accounts whose own job was lost or dead-lettered: those that were due an hour ago, and those
 * that are deleted but not erased. A job that is still running does no harm.
 */
export async function enqueueOverdue(): Promise<void> {
  const overdue = await query<{ id: string }>(
    `(SELECT id FROM users WHERE status = 'deletion_pending' AND deletion_due_at <= $1::timestamptz - interval '1 hour'
      LIMIT $2)
     UNION ALL (SELECT id FROM users WHERE status = 'deleted' AND erased_at IS NULL LIMIT $2)`,
    [isoNow(), overdueMax],
  );
  for (const { id } of overdue) await inTransaction((tx) => tx.enqueue(erasureJob, { user_id: id }));
  if (overdue.length > 0)
    logger.warn({ accounts: overdue.length }, "accounts were not erased in time; erasure is enqueued again");
}
