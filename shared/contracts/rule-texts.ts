import type Joi from "joi";
import type { Text } from "#shared/kernel/domain-error.ts";

/** What each rule of Joi says, as a text that can be translated. A test compares them with Joi's messages. */
export const ruleTexts: Readonly<Record<string, string>> = {
  "any.required": "{{label}} is required",
  "any.only": "{{label}} must be one of {{valids}}",
  "any.unknown": "{{label}} is not allowed",
  "object.unknown": "{{label}} is not allowed",
  "object.base": "{{label}} must be an object",
  "object.min": "{{label}} must have at least {{limit}} field(s)",
  "object.missing": "at least one of {{peersWithLabels}} is required",
  "object.xor": "only one of {{peersWithLabels}} is allowed",
  "string.base": "{{label}} must be a string",
  "string.empty": "{{label}} must not be empty",
  "string.guid": "{{label}} must be a UUID",
  "string.length": "{{label}} must have {{limit}} characters",
  "string.min": "{{label}} must have at least {{limit}} characters",
  "string.max": "{{label}} must have at most {{limit}} characters",
  "string.email": "{{label}} must be an email address",
  "string.uri": "{{label}} must be a URL",
  "string.uriCustomScheme": "{{label}} must be an http or https URL",
  "string.isoDate": "{{label}} must be in iso format",
  "string.pattern.name": "{{label}} must be {{name}}",
  "number.base": "{{label}} must be a number",
  "number.integer": "{{label}} must be an integer",
  "number.unsafe": "{{label}} must be a safe number",
  "number.min": "{{label}} must be at least {{limit}}",
  "number.max": "{{label}} must be at most {{limit}}",
  "boolean.base": "{{label}} must be a boolean",
  "array.base": "{{label}} must be an array",
  "array.min": "{{label}} must have at least {{limit}} items",
  "array.max": "{{label}} must have at most {{limit}} items",
  "array.unique": "{{label}} contains a duplicate value",
};

/** To Joi, the whole input is the "value". */
export const wholeInput = "the input";

/** What `any.only` says of a single value. */
export const onlyValue = "{{label}} must be {{valids}}";

/** Returns what a rule says as a text with its values; its message if the rule has no text. */
export function textOfRule({ type, context = {}, path, message }: Joi.ValidationErrorItem): Text {
  const valids = context.valids as unknown[] | undefined;
  const text = type === "any.only" && valids?.length === 1 ? onlyValue : ruleTexts[type];
  if (text === undefined) return { text: message, values: {} };
  const shown = { ...context, ...(path.length === 0 && { label: wholeInput }) };
  return {
    text,
    values: Object.fromEntries(
      Object.entries(shown)
        .filter(([name]) => text.includes(`{{${name}}}`))
        .map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value as string | number)]),
    ),
  };
}
