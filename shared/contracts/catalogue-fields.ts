import Joi from "joi";
import { integer, oneOf, url } from "./fields.ts";

/** The field types of the catalogue API, in addition to those of `fields.ts`. */

/** Names that JavaScript gives a meaning. No field has one. */
export const reservedNames = ["__proto__", "constructor", "prototype"];
/** Fields of an order that no entry of `order_information` may be called. */
export const ownFields = ["topUpId", "serviceId", "expected_price", "idempotency_key"] as const;

export const idMax = 2_147_483_647;
export const id = (example = 1) => integer(1, idMax, example);
export const bit = (example: 0 | 1 = 1) => integer(0, 1, example);
export const amount = (example: number) => Joi.number().min(0).example(example);
/** Text of a form, where JSON may have a number. */
const formText = Joi.extend({
  type: "string",
  base: Joi.string(),
  coerce: { from: "number", method: (value: number) => ({ value: `${value}` }) },
}) as typeof Joi;
/** An exact amount in a form. */
export const formDecimal = (example = "12.50", description = "Text, or a number.") =>
  formText
    .string()
    .pattern(/^\d{1,9}(\.\d{1,4})?$/, "a decimal such as 12.50")
    .example(example)
    .description(description);
export const discountType = () => oneOf("percentage", "flat");
export const image = () => Joi.string().allow("").example("images/star-raiders.png");
export const imageUrl = () => url("https://cdn.example.com/images/star-raiders.png");
export const html = (example: string) => Joi.string().allow("").example(example);
/** ISO 8601 in UTC with microseconds. */
export const instant = (example = "2026-01-31T12:00:00.123456Z") =>
  Joi.string()
    .pattern(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
    .example(example);
export const times = { created_at: instant(), updated_at: instant() };
