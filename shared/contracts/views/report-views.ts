import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { type Infer, id, line, object, oneOf, text, time } from "#shared/contracts/fields.ts";

/** What users can report. A message belongs to a room or to a conversation. */
export const reportTargets = ["user", "room", "message", "post", "comment"] as const;
export const reportStatuses = ["open", "resolved", "dismissed"] as const;

/** A report as its reporter sees it. Only the reporter and administrators do. */
export const report = object({
  id: id(exampleIds.report),
  target_type: oneOf(...reportTargets),
  target_id: id(exampleIds.grace),
  reason: line(1, 100, "Harassment"),
  details: text(0, 2000, "Insults everyone who takes a seat."),
  status: oneOf(...reportStatuses),
  created_at: time(exampleTime(exampleIds.report)),
}).meta({ name: "Report" });
export type Report = Infer<typeof report>;
