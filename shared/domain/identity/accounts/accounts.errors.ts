import { violatedConstraint } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** One error for an unknown account and for a wrong password. */
export const invalidCredentials = () => new DomainError("INVALID_CREDENTIALS");

/** One error for a code or reset token that is wrong, used, expired or unknown. */
export const codeInvalid = () => new DomainError("CODE_INVALID");

/** Converts the violation of the unique key of usernames to its error; returns any other error unchanged. */
export const toTakenError = (error: unknown): unknown =>
  violatedConstraint(error) === "users_username_key" ? new DomainError("USERNAME_TAKEN") : error;
