import { featureOf, openWhileFrozen } from "#shared/contracts/age-rights.ts";
import { blockCodesOf } from "#shared/contracts/block-rules.ts";
import { botRights } from "#shared/contracts/bot-rights.ts";
import { guestRights } from "#shared/contracts/guest-rights.ts";
import { openWhileSanctioned } from "#shared/contracts/sanction-rights.ts";
import { openWithoutTerms } from "#shared/contracts/terms-rights.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { RouteEntry } from "../http/route.ts";

/** Errors of a missing or invalid token. With `auth: "anyone"`, an invalid token counts as none. */
const tokenCodes = ["UNAUTHENTICATED", "TOKEN_EXPIRED", "ACCOUNT_SUSPENDED"] as const;

/** Errors of a caller who lacks the permission, or the second factor that the settings require. */
const permissionCodes = ["FORBIDDEN", "MFA_REQUIRED"] as const;

/** Returns all error codes that a call of this route can return: those of all calls of its kind, and its own. */
export function errorCodesOf(route: RouteEntry): ErrorCode[] {
  const sendsBody = route.method !== "get";
  const codes: (ErrorCode | false)[] = [
    (sendsBody || route.params !== undefined || route.query !== undefined) && "VALIDATION_ERROR",
    sendsBody && "MALFORMED_JSON",
    ...(route.auth === "anyone" ? [] : tokenCodes),
    route.auth.startsWith("user") && sendsBody && guestRights.get(route.id) !== "always" && "GUEST_NOT_ALLOWED",
    ...(route.auth.startsWith("user") && !openWhileFrozen.has(route.id) ? (["CONSENT_REQUIRED"] as const) : []),
    featureOf.has(route.id) && "AGE_RESTRICTED",
    route.auth.startsWith("user") && !openWhileSanctioned.has(route.id) && "SANCTIONED",
    route.auth.startsWith("user") && !openWithoutTerms.has(route.id) && "TERMS_NOT_ACCEPTED",
    ...(route.permission === undefined || route.permission === "none" ? [] : permissionCodes),
    // Of servers of the operator: what takes a person, and what bots may not do.
    (route.permission === "none" || (route.auth.startsWith("user") && sendsBody && !botRights.has(route.id))) &&
      "FORBIDDEN",
    route.params !== undefined && "NOT_FOUND",
    route.idempotent === true && "IDEMPOTENCY_CONFLICT",
    sendsBody && "PAYLOAD_TOO_LARGE",
    sendsBody && "UNSUPPORTED_MEDIA_TYPE",
    ...blockCodesOf(route.blocks),
    ...(route.errors ?? []),
    "RATE_LIMITED",
    "INTERNAL_ERROR",
    "ENGINE_UNAVAILABLE",
    !route.inMaintenance && "MAINTENANCE",
  ];
  return [...new Set(codes.filter((code) => code !== false))];
}
