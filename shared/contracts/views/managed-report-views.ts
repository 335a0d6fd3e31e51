import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  anyObject,
  count,
  extend,
  type Infer,
  id,
  line,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { reportStatuses, reportTargets } from "./report-views.ts";
import { userCard } from "./user-views.ts";
import { voiceEvidence } from "./voice-evidence-views.ts";

/** Reports as administrators see them. */

/** What can be done about a reported thing. */
export const reportActions = ["warn", "hide", "remove", "suspend"] as const;
export type ReportAction = (typeof reportActions)[number];

const closed = exampleTime(exampleIds.report, 7200);

export const managedReport = object({
  id: id(exampleIds.report),
  target_type: oneOf(...reportTargets),
  target_id: id(exampleIds.grace),
  target_user_id: id(exampleIds.grace).description("Whose it is."),
  reporter_id: id(),
  reason: text(0, 100, "Harassment"),
  status: oneOf(...reportStatuses),
  action: nullable(oneOf(...reportActions).example(null)),
  claimed_by: nullable(id(exampleIds.admin).example(null)).description("The administrator who looks into it now."),
  claimed_until: nullable(time(closed).example(null)),
  created_at: time(exampleTime(exampleIds.report)),
  closed_at: nullable(time(closed).example(null)),
  closed_by: nullable(id(exampleIds.admin).example(null)),
}).meta({ name: "ManagedReport" });
export type ManagedReport = Infer<typeof managedReport>;

export const managedReportDetails = extend(managedReport, {
  details: text(0, 2000, "Insults everyone who takes a seat."),
  note: text(0, 1000, "Third report this week."),
  evidence: anyObject()
    .description("What was reported, as it read at that moment. Empty once its author is erased.")
    .example({ username: "grace", full_name: "Grace Hopper", bio: "" }),
  voice_evidence: listOf(voiceEvidence).description("What was said in the room before, if it was kept."),
  reporter: userCard,
  target_user: userCard,
  open_reports_of_target: count(1).description("Open reports of the same thing, this one included."),
  reports_against_user: count(3).description("All reports of this user and of what is theirs."),
}).meta({ name: "ManagedReportDetails" });
export type ManagedReportDetails = Infer<typeof managedReportDetails>;

/** What a resolution changed, beside the report. */
export const effects = listOf(
  object({ action: line(1, 40, "user.suspend"), type: line(1, 20, "user"), id: id(exampleIds.grace) }),
).description("What the action changed. Empty if there was nothing left to change.");

export const resolvedReport = extend(managedReport, { effects }).meta({ name: "ResolvedReport" });
export type ResolvedReport = Infer<typeof resolvedReport>;
export type ReportEffect = ResolvedReport["effects"][number];

export const resolvedReports = object({
  results: listOf(
    object({
      id: id(exampleIds.report),
      outcome: Joi.string().description("`done`, or the code of the error.").example("done"),
      effects: optional(effects),
    }),
  ),
}).meta({ name: "ResolvedReports" });
