import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Report as ReportView } from "#shared/contracts/views.ts";
import { inTransaction, type Tx, violatedConstraint } from "#shared/db/transaction.ts";
import { keepsVoice } from "#shared/domain/live/evidence/evidence.config.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Evidence, findEvidence } from "./evidence.queries.ts";
import { Report } from "./report.model.ts";
import { alreadyReported, notYourOwn } from "./reports.errors.ts";

/** Step: lets the processes that keep what was said about the target seal it. Costs nothing if audio isn't kept. */
async function sealVoice(
  tx: Tx,
  reportId: string,
  target: ReportInput,
  { user_id, evidence }: Evidence,
): Promise<void> {
  if (!keepsVoice()) return;
  const { target_type, target_id } = target;
  const { room_id = null } = target_type === "room" ? { room_id: target_id } : (evidence as { room_id?: string });
  if (room_id || target_type === "user") await tx.signal("voice.reported", { report_id: reportId, user_id, room_id });
}

export type ReportInput = Pick<ReportView, "target_type" | "target_id" | "reason" | "details">;

/**
 * Reports a user or content to the administrators, with a copy of the target as it reads now. A report of a user, a
 * room, or a message in it also seals what was just said there, if that is kept. The owner of the target learns neither
 * of the report nor of the reporter.
 * @throws NOT_FOUND, FORBIDDEN for the caller and their own content, CONFLICT while an earlier report of the same
 *   target by the caller is open
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
      await sealVoice(tx, id, input, found);
      const { target_type, target_id } = input;
      await tx.publish("report.filed", {
        ...{ report_id: id, reporter_id: caller.userId, target_user_id: found.user_id, target_type, target_id },
      });
      return { id, ...input, status, created_at };
    });
  } catch (error) {
    throw violatedConstraint(error) === "reports_open_key" ? alreadyReported() : error;
  }
}
