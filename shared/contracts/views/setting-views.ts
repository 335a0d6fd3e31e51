import Joi from "joi";
import { exampleIds } from "#shared/contracts/examples.ts";
import { type Infer, id, listOf, nullable, object, oneOf, time, union } from "#shared/contracts/fields.ts";

const value = () =>
  union(Joi.boolean(), Joi.number().integer(), Joi.string().allow(""), listOf(Joi.string())).example(13);

/** A setting as administrators see it. */
export const settingRecord = object({
  key: Joi.string().example("minimum_age"),
  type: oneOf("boolean", "integer", "string", "list").example("integer"),
  value: value(),
  default: value().description("The value while no administrator has set one."),
  description: Joi.string().example("The minimum age in full years, checked if a date of birth is given."),
  version: Joi.number()
    .integer()
    .example(3)
    .description("The number of its last change, counted over all settings. 0: never changed."),
  updated_at: nullable(time("2026-01-05T09:00:00.000Z")).description("Null: never changed."),
  updated_by: nullable(id(exampleIds.admin)).description("Null: never changed, or changed on the command line."),
}).meta({ name: "Setting" });
export type SettingRecord = Infer<typeof settingRecord>;
