import type { FieldError } from "#shared/kernel/domain-error.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** The fields of a form as they were sent: over JSON, each may be anything. */
export type Form = Readonly<Record<string, unknown>>;

/** Returns a field's name in words: `topUpId` is the `top up id`. */
export const labelOf = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_\s]+/g, " ")
    .trim()
    .toLowerCase();

/** The message for a missing or invalid field, in the contract's words. */
export const isRequired = (label: string): string => `The ${label} field is required.`;

/** The message for a number with decimals. */
export const isNotWhole = (label: string): string => `The ${label} field must be a whole number.`;

/** The message for a field that a form doesn't have. */
export const isNotAccepted = (name: string): string => `The ${name} field is not accepted.`;

/** Returns the error of fields that are missing. */
export const missingFields = (...names: readonly string[]): DomainError =>
  invalidForm(names.map((field) => ({ field, message: isRequired(labelOf(field)) })));

/** Returns the error of these fields, in the order of the form. */
export const invalidForm = (details: readonly FieldError[]): DomainError =>
  new DomainError(
    "VALIDATION_ERROR",
    details
      .map(({ message }) => message)
      .join(" ")
      .slice(0, 500),
    {
      details: details.slice(0, 50),
    },
  );
