import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { areDependent } from "#shared/domain/admins/admin-controls.ts";
import { grantCoins } from "#shared/domain/ledger/grant-coins.ts";
import { getManaged } from "#shared/domain/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/managed/managed-resource.ts";
import { setting } from "#shared/domain/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type AdjustmentStatus, managedAdjustments } from "./managed-adjustments.ts";

/** How long an adjustment waits for its approval. */
export const adjustmentLifeHours = 72;

export interface AdjustmentInput {
  /** Coins, not 0. A negative number takes coins back. */
  readonly amount: number;
  readonly reason: string;
}

/**
 * Adjusts a user's balance, or asks for the approval of a second administrator: if what the administrator has moved
 * without one in the last 24 hours exceeds the setting, so that a large adjustment can't be split over time or users.
 * @throws NOT_FOUND, INSUFFICIENT_BALANCE if more coins are taken back than the wallet holds, IDEMPOTENCY_CONFLICT
 */
export function adjustBalance(
  caller: AdminPrincipal,
  userId: string,
  input: AdjustmentInput,
  idempotency?: IdempotentCall,
): Promise<ManagedRecord> {
  return inTransaction(async (tx) => {
    await assertUser(tx, userId);
    const id = newId();
    const status = (await needsApproval(tx, caller, input.amount)) ? "pending" : "approved";

    await tx.query(
      `INSERT INTO balance_adjustments (id, user_id, amount, reason, status, requested_by, decided_at, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, CASE WHEN $5 = 'approved' THEN now() END,
         CASE WHEN $5 = 'pending' THEN now() + $7 * interval '1 hour' END)`,
      [id, userId, input.amount, input.reason, status, caller.adminId, adjustmentLifeHours],
    );
    const balance = status === "approved" ? await applyAdjustment(tx, caller, { id, user_id: userId, ...input }) : {};
    await tx.audit(caller, {
      action: "user.adjust_balance",
      target: { type: "user", id: userId },
      before: { balance: balance.before },
      after: { adjustment_id: id, amount: input.amount, status, balance: balance.after },
      reason: input.reason,
    });
    return getManaged(managedAdjustments, id);
  }, idempotency);
}

async function assertUser(tx: Tx, userId: string): Promise<void> {
  const found = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status <> 'deleted'", [userId]);
  if (found.length === 0) throw new DomainError("NOT_FOUND");
}

/** Adjustments by one administrator wait here for each other, so that each sees those before it. */
async function needsApproval(tx: Tx, { adminId }: AdminPrincipal, amount: number): Promise<boolean> {
  await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.adjusters, adminId]);
  const [recent] = await tx.query<{ coins: number }>(
    `SELECT coalesce(sum(abs(amount)), 0)::bigint AS coins FROM balance_adjustments
     WHERE requested_by = $1 AND status = 'approved' AND decided_by IS NULL
       AND created_at > now() - interval '24 hours'`,
    [adminId],
  );
  return recent!.coins + Math.abs(amount) > setting("adjustment_approval_above");
}

interface Adjustment extends AdjustmentInput {
  readonly id: string;
  readonly user_id: string;
}

/** Step: moves the coins. Returns the balance before and after. */
async function applyAdjustment(
  tx: Tx,
  by: AdminPrincipal,
  { id, user_id, amount, reason }: Adjustment,
): Promise<{ before?: number; after?: number }> {
  const after = await grantCoins(tx, { by, kind: "adjustment", id, userId: user_id, coins: amount, reason });
  return { before: after - amount, after };
}

/**
 * Approves a pending adjustment: its coins move in the same transaction.
 * @throws NOT_FOUND, FORBIDDEN for the administrator who asked and for one whom they control or who controls them,
 *   CONFLICT if it isn't pending, INSUFFICIENT_BALANCE
 */
export function approveAdjustment(caller: AdminPrincipal, id: string): Promise<ManagedRecord> {
  return decide(caller, id, "approved", async (tx, adjustment) => {
    if (adjustment.requested_by === caller.adminId)
      throw new DomainError("FORBIDDEN", "Another administrator must approve your adjustment.");
    if (await areDependent(tx, caller.adminId, adjustment.requested_by))
      throw new DomainError(
        "FORBIDDEN",
        "You or the administrator who asked created the other's account, or set its password or role. An independent administrator must approve this adjustment.",
      );
    await assertUser(tx, adjustment.user_id);
    return applyAdjustment(tx, caller, adjustment);
  });
}

/**
 * Declines a pending adjustment. The administrator who asked may take it back.
 * @throws NOT_FOUND, CONFLICT if it isn't pending
 */
export function declineAdjustment(caller: AdminPrincipal, id: string): Promise<ManagedRecord> {
  return decide(caller, id, "declined", async () => ({}));
}

interface PendingRow extends Adjustment {
  readonly status: AdjustmentStatus;
  readonly requested_by: string;
  readonly overdue: boolean;
}

function decide(
  caller: AdminPrincipal,
  id: string,
  status: "approved" | "declined",
  work: (tx: Tx, adjustment: PendingRow) => Promise<{ before?: number; after?: number }>,
): Promise<ManagedRecord> {
  return inTransaction(async (tx) => {
    const [adjustment] = await tx.query<PendingRow>(
      `SELECT id, user_id, amount, reason, status, requested_by, coalesce(expires_at <= now(), false) AS overdue
       FROM balance_adjustments WHERE id = $1 FOR UPDATE`,
      [id],
    );
    if (!adjustment) throw new DomainError("NOT_FOUND");
    const current = adjustment.status === "pending" && adjustment.overdue ? "expired" : adjustment.status;
    if (current !== "pending") throw new DomainError("CONFLICT", `This adjustment is ${current}.`);

    const balance = await work(tx, adjustment);
    await tx.query("UPDATE balance_adjustments SET status = $2, decided_by = $3, decided_at = now() WHERE id = $1", [
      id,
      status,
      caller.adminId,
    ]);
    await tx.audit(caller, {
      action: status === "approved" ? "adjustment.approve" : "adjustment.decline",
      target: { type: "adjustment", id },
      before: { status: "pending", balance: balance.before },
      after: { status, user_id: adjustment.user_id, amount: adjustment.amount, balance: balance.after },
      reason: adjustment.reason,
    });
    return getManaged(managedAdjustments, id);
  });
}

/** Expires adjustments that were not decided in time, at most `most` of them. Returns how many. A job calls it. */
export async function expireAdjustments(most = 500): Promise<number> {
  return inTransaction(async (tx) => {
    const expired = await tx.query(
      `UPDATE balance_adjustments SET status = 'expired', decided_at = now() WHERE id IN (
         SELECT id FROM balance_adjustments WHERE status = 'pending' AND expires_at <= now()
         ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
       ) RETURNING 1`,
      [most],
    );
    return expired.length;
  });
}
