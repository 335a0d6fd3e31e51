import type Joi from "joi";
import { DomainError } from "#shared/kernel/domain-error.ts";

/**
 * Converts `value` by `schema`, or refuses it with one detail for each fault.
 * @throws VALIDATION_ERROR
 */
export function checkInput<T>(schema: Joi.Schema, value: unknown, options: { stripUnknown?: boolean } = {}): T {
  const result = schema.validate(value, { abortEarly: false, errors: { wrap: { label: false } }, ...options });
  if (!result.error) return result.value as T;
  const details = result.error.details.map(({ path, message }) => ({ field: path.join("."), message }));
  throw new DomainError(
    "VALIDATION_ERROR",
    details
      .map(({ message }) => message)
      .join("; ")
      .slice(0, 500),
    {
      details: details.slice(0, 50),
    },
  );
}
