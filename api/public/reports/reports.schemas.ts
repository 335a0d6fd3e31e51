import { type Infer, id, line, object, oneOf, optional, text } from "#shared/contracts/fields.ts";
import { reportTargets } from "#shared/contracts/views.ts";
import type { ReportInput } from "#shared/domain/reports/file-report.ts";

const reason = line(1, 100, "Harassment");
const details = text(0, 2000, "Insults whoever takes a seat.").default("");

export const reportBody = object({
  target_type: oneOf(...reportTargets),
  target_id: id(),
  reason: reason,
  details: optional(details),
});

export const userParams = object({ id: id() });
export type UserParams = Infer<typeof userParams>;

export type UserReportBody = Pick<ReportInput, "reason" | "details">;
export const userReportBody = object({ reason: reason, details: optional(details) });
