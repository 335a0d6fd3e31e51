import { exampleIds, exampleTime } from "#shared/contracts/examples.ts";
import { type Infer, id, listOf, nullable, object, oneOf, text, time } from "#shared/contracts/fields.ts";
import { sanctionKinds } from "../sanction-rights.ts";

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

export const sanctionFields = {
  kinds: listOf(oneOf(...sanctionKinds)).description("What it takes."),
  until: nullable(time(exampleTime(exampleIds.sanction, 86_400))).description("Null: until it is lifted."),
  reason: text(1, 500, "Insults in a room.").description("What the user is told."),
};

/** A sanction as the user sees it. */
export const sanction = object({
  id: id(exampleIds.sanction),
  ...sanctionFields,
  status: oneOf("active", "ended", "lifted"),
  created_at: time(exampleTime(exampleIds.sanction)),
  lifted_at: nullable(time(exampleTime(exampleIds.sanction, 3600))),
  appeal: nullable(appeal).description("Null: none yet. There is one for each sanction."),
}).meta({ name: "Sanction" });
export type Sanction = Infer<typeof sanction>;
