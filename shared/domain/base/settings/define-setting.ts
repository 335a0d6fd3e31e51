import type Joi from "joi";
import type { Infer } from "#shared/contracts/fields.ts";

/** A setting: the schema of its value, its default, and what it does. */
export const setting = <Schema extends Joi.AnySchema>(
  schema: Schema,
  fallback: Infer<Schema>,
  description: string,
) => ({
  schema,
  fallback,
  description,
});
