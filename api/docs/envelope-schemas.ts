import Joi from "joi";
import { type Fields, flag, listOf, object, oneOf, optional } from "#shared/contracts/fields.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";

const fieldError = object({
  field: Joi.string().allow("").example("quantity"),
  message: Joi.string().example("quantity must be greater than or equal to 1"),
}).meta({ name: "FieldError" });

const details = optional(
  listOf(fieldError).description(
    "For `VALIDATION_ERROR`: one entry for each invalid field. For the `CONFLICT` of an update with `If-Match`: one for each field that was changed.",
  ),
);

/** The envelope of this data, over REST and in acknowledgements alike. */
export const successSchema = (data: Joi.AnySchema): Joi.ObjectSchema => object({ success: flag().valid(true), data });

/**
 * The envelope of a failure with one of these codes, over REST and in acknowledgements alike.
 * @param more fields of `error` that only one of the two has
 */
export const failureSchema = (codes: readonly ErrorCode[], more: Fields = {}): Joi.ObjectSchema =>
  object({
    success: flag(false).valid(false),
    error: object({
      code: oneOf(...codes),
      message: Joi.string().description("For humans. Handle errors by `code`."),
      doc_url: Joi.string().description("URL of the documentation of the code."),
      ...((codes.includes("VALIDATION_ERROR") || codes.includes("CONFLICT")) && { details }),
      ...more,
    }),
  });
