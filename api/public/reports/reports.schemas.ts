import { id, input, line, oneOf, text } from "#shared/contracts/fields.ts";
import { reportTargets } from "#shared/contracts/views.ts";
import type { ReportInput } from "#shared/domain/reports/file-report.ts";

const reason = line(1, 100, "Harassment").required();
const details = text(0, 2000, "Insults whoever takes a seat.").default("");

export const reportBody = input<ReportInput>({
  target_type: oneOf(...reportTargets).required(),
  target_id: id().required(),
  reason,
  details,
});

export interface UserParams {
  id: string;
}
export const userParams = input<UserParams>({ id: id().required() });

export type UserReportBody = Pick<ReportInput, "reason" | "details">;
export const userReportBody = input<UserReportBody>({ reason, details });
