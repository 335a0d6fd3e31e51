import type { MoneyAdjustment } from "#shared/contracts/catalogue-balance-admin-views.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { locks } from "#shared/db/locks.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { type Asset, coins, stock, stockUnit } from "#shared/domain/money/ledger/assets.ts";
import { grantCoins } from "#shared/domain/money/ledger/grant-coins.ts";
import { openBalance, transfer } from "#shared/domain/money/ledger/transfer.ts";
import { areDependent } from "#shared/domain/operations/admins/admin-controls.ts";
import { decimalUnit, formatDecimal, isCurrency, parseDecimal } from "#shared/kernel/decimal.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type AdjustmentStatus, managedAdjustments } from "./managed-adjustments.ts";
import { getMoneyAdjustment } from "./money-adjustments.queries.ts";

/** How long an adjustment waits for its approval. */
export const adjustmentLifeHours = 72;

export interface AdjustmentInput {
  /** Not 0. A negative number takes back. Of money, in 1/10,000 of the unit of its currency. */
  readonly amount: number;
  readonly reason: string;
}

/** What an adjustment of coins or of money differs in. */
interface Adjusted {
  readonly moves: "coins" | "money";
  /** Names the audit entries: `adjustment.approve`. */
  readonly name: string;
  readonly adjustAction: string;
  /** What an administrator can move alone in 24 hours, of each asset. */
  readonly aloneMax: () => number;
  /** Step: moves it. Returns the balance afterwards. */
  readonly move: (tx: Tx, by: AdminPrincipal, adjustment: Adjustment) => Promise<number>;
}

/** Adjustments of coins have a grant as the cause of their ledger transaction. */
const ofCoins: Adjusted = {
  moves: "coins",
  name: "adjustment",
  adjustAction: "user.adjust_balance",
  aloneMax: () => setting("adjustment_approval_above"),
  move: (tx, by, { id, user_id, amount, reason }) =>
    grantCoins(tx, { by, kind: "adjustment", id, userId: user_id, coins: amount, reason }),
};

/** Adjustments of money are the cause themselves. */
const ofMoney: Adjusted = {
  moves: "money",
  name: "catalogue_balance_adjustment",
  adjustAction: "catalogue_balance.adjust",
  aloneMax: () => setting("catalogue_adjustment_approval_above") * Number(decimalUnit),
  move: async (tx, by, { id, user_id, asset, amount, reason }) => {
    await openBalance(tx, user_id, asset);
    const { balances } = await transfer(tx, {
      asset,
      by,
      reference: { type: "balance_adjustment", id },
      description: reason,
      entries: [
        { account: { userId: user_id }, amount, type: "admin_adjustment" },
        { account: { house: "adjustments" }, amount: -amount, type: "admin_adjustment" },
      ],
    });
    return balances.get(user_id)!;
  },
};

/**
 * Adjusts a user's coins, or asks for the approval of a second administrator: if what the administrator has moved
 * without one in the last 24 hours exceeds the setting, so that a large adjustment can't be split over time or users.
 * @throws NOT_FOUND, INSUFFICIENT_BALANCE if more is taken back than the wallet holds, IDEMPOTENCY_CONFLICT
 */
export const adjustBalance = (
  caller: AdminPrincipal,
  userId: string,
  input: AdjustmentInput,
  idempotency?: IdempotentCall,
): Promise<ManagedRecord> =>
  inTransaction(async (tx) => {
    const id = await adjust(tx, ofCoins, caller, { user_id: userId, asset: coins, ...input });
    return getManaged(managedAdjustments, id);
  }, idempotency);

export interface MoneyAdjustmentInput {
  readonly user_id: string;
  /** ISO 4217. */
  readonly currency: string;
  /** A numeral, such as `-12.5`. */
  readonly amount: string;
  readonly reason: string;
}

/**
 * Adjusts a user's balance of money, as `adjustBalance` adjusts coins. The balance of a deleted account can only be
 * reduced, so that what is paid out by other means can be booked.
 * @throws NOT_FOUND, VALIDATION_ERROR for an unknown currency or an amount of 0, INSUFFICIENT_BALANCE,
 *   IDEMPOTENCY_CONFLICT
 */
export const adjustMoney = (
  caller: AdminPrincipal,
  { user_id, currency, amount: numeral, reason }: MoneyAdjustmentInput,
  idempotency?: IdempotentCall,
): Promise<MoneyAdjustment> =>
  inTransaction(async (tx) => {
    const amount = Number(parseDecimal(numeral.replace("-", ""))) * (numeral.startsWith("-") ? -1 : 1);
    if (amount === 0) throw invalidFields([{ field: "amount", text: "The amount must not be 0" }]);
    const isStock = currency === stock && amount % stockUnit === 0;
    if (!isCurrency(currency) && !isStock)
      throw invalidFields([
        { field: "currency", text: "{{currency}} isn't an ISO 4217 currency code", values: { currency } },
      ]);
    return getMoneyAdjustment(await adjust(tx, ofMoney, caller, { user_id, asset: currency, amount, reason }));
  }, idempotency);

/** Step: moves it, or stores that it waits for its approval. Returns the ID of the adjustment. */
async function adjust(
  tx: Tx,
  adjusted: Adjusted,
  caller: AdminPrincipal,
  input: Omit<Adjustment, "id">,
): Promise<string> {
  const { user_id, asset, amount, reason } = input;
  await assertUser(tx, input);
  const id = newId();
  const status = (await needsApproval(tx, adjusted, caller, input)) ? "pending" : "approved";

  await tx.query(
    `INSERT INTO balance_adjustments (id, user_id, asset, amount, reason, status, requested_by, decided_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $6 = 'approved' THEN now() END,
       CASE WHEN $6 = 'pending' THEN now() + $8 * interval '1 hour' END)`,
    [id, user_id, asset, amount, reason, status, caller.adminId, adjustmentLifeHours],
  );
  const balance = status === "approved" ? await applyAdjustment(tx, adjusted, caller, { id, ...input }) : {};
  await tx.audit(caller, {
    action: adjusted.adjustAction,
    target: { type: "user", id: user_id },
    before: { balance: balance.before },
    after: { adjustment_id: id, ...shownOf(input), status, balance: balance.after },
    reason,
  });
  return id;
}

/** What the audit log says of an adjustment. */
const shownOf = ({ asset, amount }: Pick<Adjustment, "asset" | "amount">) =>
  asset === coins ? { amount } : { currency: asset, amount: formatDecimal(BigInt(amount)) };

/** @throws NOT_FOUND */
async function assertUser(tx: Tx, { user_id, asset, amount }: Omit<Adjustment, "id">): Promise<void> {
  const found = await tx.query("SELECT 1 FROM users WHERE id = $1 AND (status <> 'deleted' OR $2)", [
    user_id,
    asset !== coins && amount < 0,
  ]);
  if (found.length === 0) throw new DomainError("NOT_FOUND");
}

/** Adjustments by one administrator wait here for each other, so that each sees those before it. */
async function needsApproval(
  tx: Tx,
  { aloneMax }: Adjusted,
  { adminId }: AdminPrincipal,
  { asset, amount }: Omit<Adjustment, "id">,
): Promise<boolean> {
  await tx.query("SELECT pg_advisory_xact_lock($1, hashtext($2))", [locks.adjusters, adminId]);
  const [recent] = await tx.query<{ moved: number }>(
    `SELECT coalesce(sum(abs(amount)), 0)::bigint AS moved FROM balance_adjustments
     WHERE requested_by = $1 AND asset = $2 AND status = 'approved' AND decided_by IS NULL
       AND created_at > now() - interval '24 hours'`,
    [adminId, asset],
  );
  return recent!.moved + Math.abs(amount) > aloneMax();
}

interface Adjustment extends AdjustmentInput {
  readonly id: string;
  readonly user_id: string;
  readonly asset: Asset;
}

/** The balance before and after, as the audit log says it. */
interface Change {
  readonly before?: number | string;
  readonly after?: number | string;
}

/** Step: moves the coins or the money. */
async function applyAdjustment(
  tx: Tx,
  { move }: Adjusted,
  by: AdminPrincipal,
  adjustment: Adjustment,
): Promise<Change> {
  const after = await move(tx, by, adjustment);
  const shown = (amount: number) => shownOf({ ...adjustment, amount }).amount;
  return { before: shown(after - adjustment.amount), after: shown(after) };
}

/**
 * Approves a pending adjustment of coins: they move in the same transaction.
 * @throws NOT_FOUND, FORBIDDEN for the administrator who asked and for one whom they control or who controls them,
 *   CONFLICT if it isn't pending, INSUFFICIENT_BALANCE
 */
export const approveAdjustment = (caller: AdminPrincipal, id: string): Promise<ManagedRecord> =>
  inTransaction(async (tx) => {
    await approve(tx, ofCoins, caller, id);
    return getManaged(managedAdjustments, id);
  });

/** Approves a pending adjustment of money. @throws as `approveAdjustment` */
export const approveMoneyAdjustment = (caller: AdminPrincipal, id: string): Promise<MoneyAdjustment> =>
  inTransaction(async (tx) => {
    await approve(tx, ofMoney, caller, id);
    return getMoneyAdjustment(id);
  });

const approve = (tx: Tx, adjusted: Adjusted, caller: AdminPrincipal, id: string): Promise<void> =>
  decide(tx, adjusted, caller, { id, status: "approved" }, async (adjustment) => {
    if (adjustment.requested_by === caller.adminId)
      throw new DomainError("FORBIDDEN", "Another administrator must approve your adjustment.");
    if (await areDependent(tx, caller.adminId, adjustment.requested_by))
      throw new DomainError(
        "FORBIDDEN",
        "You and the requester aren't independent: one of you created the other's account, or set its password or role. Another administrator must approve this adjustment.",
      );
    await assertUser(tx, adjustment);
    return applyAdjustment(tx, adjusted, caller, adjustment);
  });

/**
 * Declines a pending adjustment of coins. The administrator who asked may take it back.
 * @throws NOT_FOUND, CONFLICT if it isn't pending
 */
export const declineAdjustment = (caller: AdminPrincipal, id: string): Promise<ManagedRecord> =>
  inTransaction(async (tx) => {
    await decide(tx, ofCoins, caller, { id, status: "declined" }, async () => ({}));
    return getManaged(managedAdjustments, id);
  });

/** Declines a pending adjustment of money. @throws as `declineAdjustment` */
export const declineMoneyAdjustment = (caller: AdminPrincipal, id: string): Promise<MoneyAdjustment> =>
  inTransaction(async (tx) => {
    await decide(tx, ofMoney, caller, { id, status: "declined" }, async () => ({}));
    return getMoneyAdjustment(id);
  });

interface PendingRow extends Adjustment {
  readonly status: AdjustmentStatus;
  readonly requested_by: string;
  readonly overdue: boolean;
}

async function decide(
  tx: Tx,
  { moves, name }: Adjusted,
  caller: AdminPrincipal,
  { id, status }: { readonly id: string; readonly status: "approved" | "declined" },
  work: (adjustment: PendingRow) => Promise<Change>,
): Promise<void> {
  const [adjustment] = await tx.query<PendingRow & { [column: string]: unknown }>(
    `SELECT id, user_id, asset, amount, reason, status, requested_by, coalesce(expires_at <= now(), false) AS overdue
     FROM balance_adjustments WHERE id = $1 AND (asset = 'coins') = ($2 = 'coins') FOR UPDATE`,
    [id, moves],
  );
  if (!adjustment) throw new DomainError("NOT_FOUND");
  const current = adjustment.status === "pending" && adjustment.overdue ? "expired" : adjustment.status;
  if (current !== "pending")
    throw new DomainError("CONFLICT", "This adjustment is {{status}}.", { values: { status: current } });

  const balance = await work(adjustment);
  await tx.query("UPDATE balance_adjustments SET status = $2, decided_by = $3, decided_at = now() WHERE id = $1", [
    id,
    status,
    caller.adminId,
  ]);
  await tx.audit(caller, {
    action: `${name}.${status === "approved" ? "approve" : "decline"}`,
    target: { type: name, id },
    before: { status: "pending", balance: balance.before },
    after: { status, user_id: adjustment.user_id, ...shownOf(adjustment), balance: balance.after },
    reason: adjustment.reason,
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
