import { blockCodesOf } from "#shared/contracts/block-rules.ts";
import type { ErrorCode } from "#shared/kernel/error-codes.ts";
import type { RouteEntry } from "../http/route.ts";

/** What a token is refused with, where one is needed; `anyone` takes a bad token for none. */
const tokenCodes = ["UNAUTHENTICATED", "TOKEN_EXPIRED", "ACCOUNT_SUSPENDED"] as const;

/** What a caller without the permission, or without the second factor that the settings demand, is refused with. */
const permissionCodes = ["FORBIDDEN", "MFA_REQUIRED"] as const;

/** Every code that a call of this route can answer: those of its kind, and its own. */
export function errorCodesOf(route: RouteEntry): ErrorCode[] {
  const sendsBody = route.method !== "get";
  const codes: (ErrorCode | false)[] = [
    (sendsBody || route.params !== undefined || route.query !== undefined) && "VALIDATION_ERROR",
    sendsBody && "MALFORMED_JSON",
    ...(route.auth === "anyone" ? [] : tokenCodes),
    ...(route.permission === undefined || route.permission === "none" ? [] : permissionCodes),
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
