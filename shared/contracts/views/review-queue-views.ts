import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  count,
  flag,
  type Infer,
  id,
  integer,
  limits,
  listOf,
  nullable,
  object,
  oneOf,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { effects } from "./managed-report-views.ts";
import { removalKinds, removalReason } from "./removal-views.ts";
import { sanctionFields } from "./sanction-views.ts";
import { userCard } from "./user-views.ts";

export const queueKinds = ["content", "report"] as const;
export const queueStatuses = ["open", "closed"] as const;

const reviewFields = {
  id: id(exampleIds.held),
  kind: oneOf(...queueKinds).description("`content`: a rule asks for it. `report`: a user does; resolve the report."),
  about: text(1, 40, "room_message").description("What it is."),
  user_id: id(exampleIds.grace).description("Whose thing it is."),
  cause: text(1, 100, "Phone numbers").description("The name of the rule, or the reason of the report."),
  harm: integer(1, 3, 2),
  reach: count(1).description("0: others don't see it. Of reports: how many are open about the same thing."),
  shadowed: flag(false).description("Its author sees it as sent, though others don't see it."),
  status: oneOf(...queueStatuses),
  created_at: time(exampleTime(exampleIds.held)),
  due_at: time(exampleTime(exampleIds.held, 86_400)).description("24 hours later."),
  decided_at: nullable(time(exampleTime(exampleIds.held, 600))),
  decided_by: nullable(id(exampleIds.admin)),
};

export const queuedReview = object(reviewFields).meta({ name: "QueuedReview" });
export type QueuedReview = Infer<typeof queuedReview>;

const detailFields = {
  ...reviewFields,
  user: userCard,
  text: text(0, 10_000, "Call me at +123456789").description("What was written, or what the reporter says."),
  evidence: Joi.object().unknown().example({ body: "Call me at +123456789" }).description("All of it."),
  note: text(0, 1000, "An advertisement."),
  rule_id: nullable(id(exampleIds.rule)).description("Null for a report."),
  rule_version: nullable(integer(1, 1_000_000, 3)).description("The version of the rule that found it."),
  history: object({ reports: count(2), rejected: count(1), sanctions: count(0) }).description("Of this person."),
};

export const queuedReviewDetails = object(detailFields).meta({ name: "QueuedReviewDetails" });
export type QueuedReviewDetails = Infer<typeof queuedReviewDetails>;

/** What administrators see beside an appeal, to decide it. One of `sanction` and `removal` is null. */
export const appealDetails = object({
  id: id(exampleIds.appeal),
  sanction: nullable(
    object({
      kinds: sanctionFields.kinds,
      until: sanctionFields.until,
      reason: sanctionFields.reason,
      status: oneOf("active", "ended", "lifted"),
      suspends: flag(false),
      created_by: nullable(id(exampleIds.admin)),
      created_at: time(exampleTime(exampleIds.sanction)),
    }),
  ),
  removal: nullable(
    object({
      kind: oneOf(...removalKinds),
      content_id: id(exampleIds.post),
      text: text(0, limits.postLength, "What a day!"),
      reason: removalReason(),
      created_by: nullable(id(exampleIds.admin)).description("Null: a judge."),
      created_at: time(exampleTime(exampleIds.removal)),
    }),
  ),
  review: nullable(queuedReviewDetails).description("What it came from, with its evidence."),
}).meta({ name: "AppealDetails" });
export type AppealDetails = Infer<typeof appealDetails>;

export const decidedContent = object({ ...detailFields, effects }).meta({ name: "DecidedContent" });
export type DecidedContent = Infer<typeof decidedContent>;

export const reviewFigures = object({
  open: count(3),
  late: count(0).description("Open, and due."),
  decided: count(240).description("By administrators."),
  median_minutes: nullable(count(42)).description("From when it was found to the decision."),
  appeals_decided: count(12),
  appeals_overturned: count(2),
  rules: listOf(
    object({ name: text(1, 80, "Phone numbers"), found: count(30), rejected: count(21), released: count(9) }),
  ).description("What each has held or had reviewed."),
}).meta({ name: "ReviewFigures" });
export type ReviewFigures = Infer<typeof reviewFigures>;
