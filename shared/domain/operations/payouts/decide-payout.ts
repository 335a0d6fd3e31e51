import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { getKyc } from "#shared/domain/identity/kyc/kyc.queries.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { movePayout } from "#shared/domain/money/payouts/move-payout.ts";
import { PayoutModel, type PayoutRow } from "#shared/domain/money/payouts/payout.model.ts";
import { payoutsJob } from "#shared/domain/money/payouts/send-payouts.ts";
import { areDependent } from "#shared/domain/operations/admins/admin-controls.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Approves a requested payout. The first approval is enough, unless the user is paid more than a setting in 24 hours:
 * then a second administrator who is independent of the first must approve it, too.
 * @throws NOT_FOUND, FORBIDDEN, KYC_REQUIRED, CONFLICT if it isn't requested, or the user isn't active
 */
export const approvePayout = (caller: AdminPrincipal, id: string): Promise<void> =>
  inTransaction(async (tx) => {
    const payout = await lockPayout(tx, id);
    if (payout.status !== "requested") throw wrongState(payout);
    const { user_id } = payout;
    const user = await User.lock(tx, { id: user_id }, ["status"]);
    if (user?.status !== "active") throw new DomainError("CONFLICT", "The user's account isn't active.");
    if ((await getKyc(user_id)).level === 0) throw new DomainError("KYC_REQUIRED");

    const needsTwo = await needsSecond(tx, payout);
    const first = payout.first_approved_by;
    if (needsTwo && first) await assertIndependent(tx, caller, first);
    const isApproved = !needsTwo || first !== null;
    if (isApproved) {
      await movePayout(tx, caller, payout, "approved");
      const next_try_at = payout.provider === "bank_file" ? {} : { next_try_at: now };
      await PayoutModel.change(tx, { id }, { approved_by: caller.adminId, approved_at: now, ...next_try_at });
      await tx.enqueue(payoutsJob, {});
    } else await PayoutModel.change(tx, { id }, { first_approved_by: caller.adminId });
    const status = isApproved ? "approved" : "requested";
    await audit(tx, caller, "approve", payout, { status, needs_second: needsTwo });
  });

/**
 * Declines a payout that was not sent yet: the user has the earnings again.
 * @throws NOT_FOUND, CONFLICT if it may have been sent, or is over
 */
export const declinePayout = (caller: AdminPrincipal, id: string, reason: string): Promise<void> =>
  inTransaction(async (tx) => {
    const payout = await lockPayout(tx, id);
    const isOpen = payout.status === "requested" || payout.status === "approved";
    if (!isOpen || payout.attempted_at !== null) throw wrongState(payout);
    await movePayout(tx, caller, payout, "declined", { failure: reason });
    await audit(tx, caller, "decline", payout, { status: "declined" }, reason);
  });

/**
 * Says by hand what became of a payout that is at the bank, has come back later, or is flagged. One for which two had
 * to approve isn't given back by either of them.
 * @throws NOT_FOUND, FORBIDDEN, CONFLICT if it is in another state
 */
export const resolvePayout = (
  caller: AdminPrincipal,
  id: string,
  outcome: { readonly status: "settled" | "returned"; readonly reason: string },
): Promise<void> =>
  inTransaction(async (tx) => {
    const payout = await lockPayout(tx, id);
    await resolveStep(tx, caller, payout, outcome);
    await audit(tx, caller, "resolve", payout, { status: outcome.status, flag: null }, outcome.reason);
  });

/** Step: the same, of a locked payout. */
export async function resolveStep(
  tx: Tx,
  caller: AdminPrincipal,
  payout: PayoutRow,
  { status, reason }: { readonly status: "settled" | "returned"; readonly reason: string },
): Promise<void> {
  const { id, flag } = payout;
  const isSame = payout.status === status && flag !== null;
  const isNext = payout.status === "sent" || (payout.status === "settled" && status === "returned");
  const isUnknown = payout.status === "approved" && flag !== null;
  if (!isSame && !isNext && !isUnknown) throw wrongState(payout);
  if (payout.first_approved_by && status === "returned")
    for (const approver of [payout.first_approved_by, payout.approved_by!])
      await assertIndependent(tx, caller, approver);

  const change = { flag: null, resolved_by: caller.adminId, failure: status === "returned" ? reason : null };
  if (isUnknown && status === "settled") await movePayout(tx, caller, payout, "sent");
  const current = isUnknown && status === "settled" ? { ...payout, status: "sent" as const } : payout;
  if (isSame) await PayoutModel.change(tx, { id }, { flag: null });
  else await movePayout(tx, caller, current, status, change);
}

/** Step: locks a payout. @throws NOT_FOUND */
async function lockPayout(tx: Tx, id: string): Promise<PayoutRow> {
  const payout = await PayoutModel.lock(tx, { id });
  if (!payout) throw new DomainError("NOT_FOUND");
  return payout;
}

export const wrongState = ({ status, attempted_at }: PayoutRow): DomainError =>
  status === "approved" && attempted_at !== null
    ? new DomainError("CONFLICT", "This payout is being sent.")
    : new DomainError("CONFLICT", "This payout is {{status}}.", { values: { status } });

/** So that a large payout can't be split. The user's other payouts wait for the lock of the user. */
async function needsSecond(tx: Tx, { id }: PayoutRow): Promise<boolean> {
  const [recent] = await tx.query<{ amount: number }>(
    `SELECT sum(p.amount)::bigint AS amount FROM payouts t JOIN payouts p ON p.user_id = t.user_id
       AND p.created_at <= t.created_at AND p.created_at > t.created_at - interval '24 hours'
     WHERE t.id = $1 AND p.status NOT IN ('returned', 'declined')`,
    [id],
  );
  return recent!.amount > setting("payout_approval_above");
}

/** @throws FORBIDDEN */
async function assertIndependent(tx: Tx, caller: AdminPrincipal, other: string): Promise<void> {
  if (caller.adminId === other || (await areDependent(tx, caller.adminId, other)))
    throw new DomainError("FORBIDDEN", "Another administrator, who is independent of those before, must do this.");
}

const audit = (
  tx: Tx,
  caller: AdminPrincipal,
  verb: "approve" | "decline" | "resolve",
  { id, user_id, amount, status, flag }: PayoutRow,
  after: object,
  reason?: string,
): Promise<void> =>
  tx.audit(caller, {
    action: `payout.${verb}`,
    target: { type: "payout", id },
    before: { status, flag },
    after: { user_id, amount, ...after },
    ...(reason && { reason }),
  });
