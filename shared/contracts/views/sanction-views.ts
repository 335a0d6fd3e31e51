import Joi from "joi";
import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import {
  type Infer,
  type InferFields,
  id,
  listOf,
  nullable,
  object,
  oneOf,
  optional,
  plainTime,
  text,
  time,
} from "#shared/contracts/fields.ts";
import { type SanctionKind, sanctionCovers, sanctionKinds } from "../sanction-rights.ts";

export const appealStatuses = ["open", "upheld", "overturned"] as const;
export type AppealStatus = (typeof appealStatuses)[number];

export const appealText = () => text(1, 2000, "I was quoting someone.");
export const appealAnswer = () => text(1, 1000, "You are right, we have looked again.");

/** An appeal as its author sees it. */
export const appeal = object({
  id: id(exampleIds.appeal),
  text: appealText().allow(""),
  status: oneOf(...appealStatuses),
  answer: nullable(appealAnswer()).description("What was decided, and why."),
  created_at: time(exampleTime(exampleIds.appeal)),
  decided_at: nullable(time(exampleTime(exampleIds.appeal, 7200))),
}).meta({ name: "Appeal" });
export type Appeal = Infer<typeof appeal>;

/** What the author of an appeal is told. */
export const appealDecided = {
  appeal_id: id(exampleIds.appeal).description("Of one of your sanctions or removals."),
  status: oneOf(...(appealStatuses.slice(1) as ["upheld", "overturned"])),
  answer: appealAnswer(),
};
export type AppealDecided = InferFields<typeof appealDecided>;

export const sanctionFields = {
  kinds: listOf(oneOf(...sanctionKinds)).description("What it takes. Nothing: a warning."),
  until: nullable(time(exampleTime(exampleIds.sanction, 86_400))).description("Null: until it is lifted."),
  reason: text(1, 500, "Insults in a room.").description("What the user is told."),
  covers: listOf(oneOf(...sanctionCovers)).description("What it covers beside the user: what they used lately."),
};

/** What administrators say of a new one. */
export const newSanction = {
  kinds: Joi.array<SanctionKind[]>()
    .items(oneOf(...sanctionKinds))
    .required()
    .unique()
    .description("What it takes. `login`: everything but to see it, appeal, and leave. Nothing: a warning.")
    .example(["chat"]),
  until: optional(
    nullable(plainTime("2099-01-31T12:00:00.000Z")).description(
      "Without it, until it is lifted. A warning counts for 90 days then.",
    ),
  ),
  reason: sanctionFields.reason,
  covers: optional(
    listOf(oneOf(...sanctionCovers))
      .unique()
      .description(
        "Everyone who comes from a device or a network (IPv4 /32, IPv6 /64) that the user used in the last 7 days. With `network`, `until` is required, within `network_sanction_days_max`.",
      ),
  ),
};

/** A sanction as the user sees it. */
export const sanction = object({
  id: id(exampleIds.sanction),
  ...sanctionFields,
  status: oneOf("active", "ended", "lifted"),
  cause: oneOf("rule", "report", "review").description(
    "What it is about: a rule about what people write, a report of other users, or something that an administrator has seen.",
  ),
  created_at: time(exampleTime(exampleIds.sanction)),
  lifted_at: nullable(time(exampleTime(exampleIds.sanction, 3600))),
  acknowledged_at: nullable(time(exampleTime(exampleIds.sanction, 600))),
  appeal: nullable(appeal).description("Null: none yet. There is one for each sanction."),
}).meta({ name: "Sanction" });
export type Sanction = Infer<typeof sanction>;
