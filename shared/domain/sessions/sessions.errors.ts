import { DomainError } from "#shared/kernel/domain-error.ts";

/** One answer for unknown, expired, used and revoked: nobody learns which. */
export const refreshTokenInvalid = () => new DomainError("REFRESH_TOKEN_INVALID");
