import { exampleIds } from "#shared/contracts/examples.ts";
import { type Fields, id, listOf, object, oneOf, optional, plainTime, text } from "#shared/contracts/fields.ts";
import { newSanction, reportActions, reportStatuses, reportTargets, toldField } from "#shared/contracts/views.ts";
import { bulkMax } from "../../social/posts/posts.schemas.ts";

export const reportParams = object({ id: id(exampleIds.report) });

export const reportFilters: Fields = {
  status: oneOf(...reportStatuses),
  target_type: oneOf(...reportTargets),
  target_id: id(exampleIds.grace),
  target_user_id: id(exampleIds.grace),
  reporter_id: id(),
  claimed_by: id(exampleIds.admin),
  from: plainTime("2026-01-01T00:00:00.000Z").description("Filed at this time or later."),
  to: plainTime("2027-01-01T00:00:00.000Z").description("Filed before this time."),
};

const resolution = {
  resolution: oneOf("resolved", "dismissed"),
  note: optional(text(1, 1000, "Third report this week.").description("For administrators.")),
  told: toldField(),
  action: optional(
    oneOf(...reportActions).description(
      "Only with `resolved`. `hide` is for posts and comments, `remove` also for messages, and for the pictures of a profile; `warn` and `suspend` concern the user whose thing it is. On posts and comments it requires `posts.write`; `suspend` requires `users.suspend`.",
    ),
  ),
  until: optional(plainTime("2027-01-31T12:00:00.000Z").description("When a suspension ends by itself.")),
  sanction: optional(
    object(newSanction).description(
      "Imposed on the user whose thing it is, beside the action; only with `resolved`. It requires `sanctions.write`.",
    ),
  ),
};

export const resolveReportBody = object(resolution).meta({ name: "ResolveReportBody" });
export const resolveReportsBody = object({
  ids: listOf(id(exampleIds.report)).min(1).max(bulkMax).unique(),
  ...resolution,
}).meta({ name: "ResolveReportsBody" });
