import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Report as ReportView } from "#shared/contracts/views.ts";
import { inTransaction, violatedConstraint } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { findEvidence } from "./evidence.queries.ts";
import { Report } from "./report.model.ts";
import { alreadyReported, notYourOwn } from "./reports.errors.ts";

export type ReportInput = Pick<ReportView, "target_type" | "target_id" | "reason" | "details">;

/**
 * Reports a user or content to the administrators, with a copy of the target as it reads now. The owner of the target
 * learns neither of the report nor of the reporter.
 * @throws NOT_FOUND, FORBIDDEN for the caller and their own content, CONFLICT while an earlier report of the same
 * target
 *   by the caller is open
 */
export async function fileReport(caller: UserPrincipal, input: ReportInput): Promise<ReportView> {
  try {
    return await inTransaction(async (tx) => {
      const found = await findEvidence(caller.userId, input);
      if (!found) throw new DomainError("NOT_FOUND");
      if (found.user_id === caller.userId) throw notYourOwn();

      const { id, status, created_at } = await Report.insert(tx, {
        id: newId(),
        reporter_id: caller.userId,
        target_user_id: found.user_id,
        evidence: found.evidence,
        ...input,
      });
      return { id, ...input, status, created_at };
    });
  } catch (error) {
    throw violatedConstraint(error) === "reports_open_key" ? alreadyReported() : error;
  }
}
