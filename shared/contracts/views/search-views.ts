import Joi from "joi";
import { exampleIds } from "../examples.ts";
import { type Infer, object, text } from "../fields.ts";

/** What a record is, as the audit log names targets: `catalogue_top_up`. */
export const recordType = () =>
  Joi.string()
    .pattern(/^[a-z_]{1,40}$/, "a kind of record such as user")
    .example("user");

export const namedRecord = object({
  type: recordType(),
  id: text(1, 36, exampleIds.grace).description("A UUID, or a number in the catalogue."),
  name: text(0, 300, "Grace Hopper").description("What people call it."),
  detail: text(0, 300, "@grace").description("What else tells it from others, such as its status. May be empty."),
}).meta({ name: "NamedRecord" });
export type NamedRecord = Infer<typeof namedRecord>;
