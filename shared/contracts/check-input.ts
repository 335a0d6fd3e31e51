import Joi from "joi";
import { DomainError, joinMessages, type Text } from "#shared/kernel/domain-error.ts";
import { textOfRule, wholeInput } from "./rule-texts.ts";

/** More than any of our inputs has. Listing the errors of thousands of fields would block the process for a second. */
const membersMax = 500;

/** Returns the message for one invalid field. */
type ErrorMessage = (error: Joi.ValidationErrorItem) => string;
/** Returns what the message is made of, so that it can be translated. */
type ErrorText = (error: Joi.ValidationErrorItem) => Text;

/** Compiled once: as texts, each call of `validate` would compile them again. */
const compiled = (messages: Record<string, string>) =>
  Object.fromEntries(Object.entries(messages).map(([code, text]) => [code, Joi.expression(text)]));

const preferences: Joi.ValidationOptions = {
  errors: { wrap: { label: false, array: false } },
  messages: compiled({
    // The name of a pattern says its rule in words.
    "string.pattern.name": "{{#label}} must be {{#name}}",
    "string.guid": "{{#label}} must be a UUID",
    "string.length": "{{#label}} must have {{#limit}} characters",
    "string.min": "{{#label}} must have at least {{#limit}} characters",
    "string.max": "{{#label}} must have at most {{#limit}} characters",
    "string.empty": "{{#label}} must not be empty",
    "number.min": "{{#label}} must be at least {{#limit}}",
    "number.max": "{{#label}} must be at most {{#limit}}",
    "array.min": "{{#label}} must have at least {{#limit}} items",
    "array.max": "{{#label}} must have at most {{#limit}} items",
    "string.email": "{{#label}} must be an email address",
    "string.uri": "{{#label}} must be a URL",
    "string.uriCustomScheme": "{{#label}} must be an http or https URL",
    "object.base": "{{#label}} must be an object",
    "object.min": "{{#label}} must have at least {{#limit}} field(s)",
    "object.missing": "at least one of {{#peersWithLabels}} is required",
    "object.xor": "only one of {{#peersWithLabels}} is allowed",
  }),
};

/**
 * Converts `value` by `schema`. The error has one detail for each invalid field; the first alone when the value is far
 * larger than any that could be meant.
 * @throws VALIDATION_ERROR
 */
export type InputCheck = <T>(schema: Joi.AnySchema<T>, value: unknown, options?: { stripUnknown?: boolean }) => T;

/** Makes a check of inputs whose messages are `messageOf`'s. Without `textOf`, they are in English only. */
export const inputCheck =
  (messageOf: ErrorMessage, textOf?: ErrorText): InputCheck =>
  (schema, value, options = {}) => {
    // To Joi, bytes would be an object with a member for each of them.
    const given = ArrayBuffer.isView(value) ? "bytes" : value;
    const abortEarly = isLarge(given);
    // Without the messages at first: Joi merges them at each call, which takes it longer than to check the value.
    const accepted = schema.validate(given, { abortEarly: true, ...options });
    if (!accepted.error) return accepted.value;
    const result = schema.validate(given, { ...preferences, abortEarly, ...options });
    if (!result.error) return result.value;

    const errors = new Map<string, Joi.ValidationErrorItem>();
    for (const error of result.error.details) {
      const field = error.path.join(".");
      if (!errors.has(field)) errors.set(field, error);
    }
    const details = [...errors].map(([field, error]) => ({ field, message: messageOf(error) }));
    throw new DomainError("VALIDATION_ERROR", joinMessages(details.map(({ message }) => message)), {
      details: details.slice(0, 50),
      ...(textOf && { detailTexts: [...errors.values()].slice(0, 50).map(textOf) }),
    });
  };

/** Checks with the messages above, and Joi's for the rest. */
export const checkInput = inputCheck(
  ({ message, path }) => (path.length === 0 ? message.replace(/^value /, `${wholeInput} `) : message),
  textOfRule,
);

/** Has it, with what is inside it, more members than any input? However deep: it may be nested thousands of times. */
function isLarge(value: unknown): boolean {
  const inside: unknown[] = [value];
  for (let count = 0; inside.length > 0; ) {
    const one = inside.pop();
    if (one === null || typeof one !== "object") continue;
    const members = ArrayBuffer.isView(one) ? [] : Object.values(one);
    count += members.length;
    if (count > membersMax) return true;
    inside.push(...members);
  }
  return false;
}
