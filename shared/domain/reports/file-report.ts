import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Report as ReportView } from "#shared/contracts/views.ts";
import { inTransaction, violatedConstraint } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { findEvidence } from "./evidence.queries.ts";
import { Report } from "./report.model.ts";
import { notOnesOwn, reportedAlready } from "./reports.errors.ts";

export type ReportInput = Pick<ReportView, "target_type" | "target_id" | "reason" | "details">;

/**
 * Reports somebody or something to the administrators, with what it reads like now. Whoever is reported is not told, of
 * the report nor of the reporter.
 * @throws NOT_FOUND, FORBIDDEN for what is one's own, CONFLICT while an earlier report of the same is open
 */
export async function fileReport(caller: UserPrincipal, input: ReportInput): Promise<ReportView> {
  try {
    return await inTransaction(async () => {
      const found = await findEvidence(caller.userId, input);
      if (!found) throw new DomainError("NOT_FOUND");
      if (found.user_id === caller.userId) throw notOnesOwn();
      const report = await Report.create({
        id: newId(),
        reporter_id: caller.userId,
        target_user_id: found.user_id,
        evidence: found.evidence,
        ...input,
      });
      const { id, status, created_at } = report;
      return { id, ...input, status, created_at: created_at.toISOString() };
    });
  } catch (error) {
    throw violatedConstraint(error) === "reports_open_key" ? reportedAlready() : error;
  }
}
