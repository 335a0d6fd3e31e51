import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { ManagedReport } from "#shared/contracts/views.ts";
import type { RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { Report } from "#shared/domain/operations/reports/report.model.ts";
import { clock, isoNow, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { getManagedReport } from "./reports.queries.ts";

export const claimMinutes = 30;

const openColumns = [
  "target_type",
  "target_id",
  "target_user_id",
  "reporter_id",
  "status",
  "claimed_by",
  "claimed_until",
] as const;
export type OpenReport = Pick<RowOf<typeof Report>, (typeof openColumns)[number]>;

/**
 * Step: locks a report that this administrator may handle: it is open, and not claimed by another one now.
 * @throws NOT_FOUND, CONFLICT
 */
export async function lockReport(tx: Tx, caller: AdminPrincipal, id: string): Promise<OpenReport> {
  const report = await Report.lock(tx, { id }, openColumns);
  if (!report) throw new DomainError("NOT_FOUND");
  if (report.status !== "open")
    throw new DomainError("CONFLICT", "This report is {{status}} already.", { values: { status: report.status } });
  const { claimed_by, claimed_until } = report;
  const isClaimed = claimed_until !== null && claimed_until > isoNow();
  if (isClaimed && claimed_by !== caller.adminId)
    throw new DomainError("CONFLICT", "Another administrator has claimed this report until {{time}}.", {
      values: { time: claimed_until },
    });
  return report;
}

/**
 * Claims an open report for `claimMinutes`: meanwhile, no other administrator can claim or resolve it. Claiming it
 * again extends the claim.
 * @throws NOT_FOUND, CONFLICT when it is closed, or claimed by another administrator
 */
export async function claimReport(caller: AdminPrincipal, id: string): Promise<ManagedReport> {
  return inTransaction(async (tx) => {
    const { claimed_by } = await lockReport(tx, caller, id);
    const until = new Date(clock.now() + minutesMs(claimMinutes)).toISOString();
    await Report.change(tx, { id }, { claimed_by: caller.adminId, claimed_until: until });
    await tx.audit(caller, {
      action: "report.claim",
      target: { type: "report", id },
      before: { claimed_by },
      after: { claimed_by: caller.adminId, claimed_until: until },
    });
    return getManagedReport(id);
  });
}
