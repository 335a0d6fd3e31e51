import { DomainError } from "#shared/kernel/domain-error.ts";

/** One error for unknown, expired, used and revoked tokens, so that it does not tell which. */
export const refreshTokenInvalid = () => new DomainError("REFRESH_TOKEN_INVALID");
