import type Joi from "joi";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** More than any input of ours has. Naming the faults of thousands of members would hold up the process for a second. */
const membersMax = 500;

/** Returns the message for one field at fault. */
type FaultMessage = (fault: Joi.ValidationErrorItem) => string;

/**
 * Converts `value` by `schema`. The error has one detail for each field at fault; the first alone when the value is far
 * larger than any that could be meant.
 * @throws VALIDATION_ERROR
 */
export type InputCheck = <T>(schema: Joi.AnySchema<T>, value: unknown, options?: { stripUnknown?: boolean }) => T;

/** Makes a check of inputs whose messages are `messageOf`'s. */
export const inputCheck =
  (messageOf: FaultMessage): InputCheck =>
  (schema, value, options = {}) => {
    // To Joi, bytes would be an object with a member for each of them.
    const given = ArrayBuffer.isView(value) ? "bytes" : value;
    const abortEarly = isLarge(given);
    const result = schema.validate(given, { abortEarly, errors: { wrap: { label: false } }, ...options });
    if (!result.error) return result.value;

    const details = result.error.details.map((fault) => ({ field: fault.path.join("."), message: messageOf(fault) }));
    const summary = details.map(({ message }) => message).join("; ");
    throw new DomainError("VALIDATION_ERROR", summary.slice(0, 500), { details: details.slice(0, 50) });
  };

/** Checks in Joi's words. */
export const checkInput = inputCheck(({ message }) => message);

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
