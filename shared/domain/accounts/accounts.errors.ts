import { violatedConstraint } from "#shared/db/transaction.ts";
import { DomainError, type FieldFault } from "#shared/kernel/domain-error.ts";

/** The one answer to an unknown account and to a wrong password. */
export const invalidCredentials = () => new DomainError("INVALID_CREDENTIALS");

/** The one answer to a code or reset token that is wrong, used, expired or nobody's. */
export const codeInvalid = () => new DomainError("CODE_INVALID");

export const faultyFields = (details: readonly FieldFault[]) =>
  new DomainError("VALIDATION_ERROR", details.map(({ message }) => message).join("; "), { details });

const takenCodes: Record<string, "USERNAME_TAKEN" | "EMAIL_TAKEN" | "MOBILE_TAKEN"> = {
  users_username_key: "USERNAME_TAKEN",
  users_email_key: "EMAIL_TAKEN",
  users_mobile_key: "MOBILE_TAKEN",
};

/** The refusal that a violated unique key of `users` means; anything else as it came. */
export function takenOr(error: unknown): unknown {
  const code = takenCodes[violatedConstraint(error) ?? ""];
  return code ? new DomainError(code) : error;
}
