import { type Infer, id, line, object, oneOf, text, withDefault } from "#shared/contracts/fields.ts";
import { reportTargets } from "#shared/contracts/views.ts";
import type { ReportInput } from "#shared/domain/reports/file-report.ts";

const reason = line(1, 100, "Harassment");
const details = withDefault(text(0, 2000, "Insults whoever takes a seat."), "");

export const reportBody = object({
  target_type: oneOf(...reportTargets),
  target_id: id(),
  reason,
  details: details,
});

export const userParams = object({ id: id() });
export type UserParams = Infer<typeof userParams>;

export type UserReportBody = Pick<ReportInput, "reason" | "details">;
export const userReportBody = object({ reason, details: details });
