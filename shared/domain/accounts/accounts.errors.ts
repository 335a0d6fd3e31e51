import { violatedConstraint } from "#shared/db/transaction.ts";
import { DomainError, type FieldError } from "#shared/kernel/domain-error.ts";

/** One error for an unknown account and for a wrong password. */
export const invalidCredentials = () => new DomainError("INVALID_CREDENTIALS");

/** One error for a code or reset token that is wrong, used, expired or unknown. */
export const codeInvalid = () => new DomainError("CODE_INVALID");

export const invalidFields = (details: readonly FieldError[]) =>
  new DomainError("VALIDATION_ERROR", details.map(({ message }) => message).join("; "), { details });

const takenCodes: Record<string, "USERNAME_TAKEN" | "EMAIL_TAKEN" | "MOBILE_TAKEN"> = {
  users_username_key: "USERNAME_TAKEN",
  users_email_key: "EMAIL_TAKEN",
  users_mobile_key: "MOBILE_TAKEN",
};

/** Converts the violation of a unique key of `users` to its error; returns any other error unchanged. */
export function toTakenError(error: unknown): unknown {
  const code = takenCodes[violatedConstraint(error) ?? ""];
  return code ? new DomainError(code) : error;
}
