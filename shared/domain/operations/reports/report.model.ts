import type { ReportAction, Report as ReportView } from "#shared/contracts/views.ts";
import { defaulted, defineModel, json, key, nullable, text, time, uuid } from "#shared/db/model.ts";

/** A report and its outcome. `closed_at` is null while it is open. */
export const Report = defineModel("reports", {
  id: key(uuid()),
  reporter_id: uuid(),
  target_type: text<ReportView["target_type"]>(),
  target_id: uuid(),
  target_user_id: uuid(),
  reason: text(),
  details: defaulted(text()),
  evidence: json<object>(),
  status: defaulted(text<ReportView["status"]>()),
  created_at: defaulted(time()),
  closed_at: nullable(time()),
  closed_by: nullable(uuid()),
  action: nullable(text<ReportAction>()),
  claimed_by: nullable(uuid()),
  claimed_until: nullable(time()),
  note: defaulted(text()),
});
