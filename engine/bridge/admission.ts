import { connectionActions } from "#shared/contracts/actions.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { connectionsMax, eventRate } from "#shared/contracts/client-events.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { assertCallerActive, verifyAccessToken } from "#shared/domain/sessions/access-token.ts";
import { assertNotInMaintenance } from "#shared/domain/settings/maintenance.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { consume, makeRateLimiter } from "#shared/kernel/rate-limiter.ts";
import { engine } from "../engine.ts";

/** The checks that a connection must pass over either transport: at the handshake, when it opens, and for each event. */

const events = makeRateLimiter({ keyPrefix: "events", points: eventRate.points, duration: eventRate.seconds });
const refresh = connectionActions["auth:refresh"].payload.required();

/** Counts an event of a connection, valid or not, or a user's attempt to open a connection. @throws RATE_LIMITED */
export async function countEvent(key: string): Promise<void> {
  if (engine().rateLimits) await consume(events, key);
}

/**
 * Authenticates a handshake.
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED, RATE_LIMITED for too many connections or attempts
 */
export async function admitConnection(token: unknown): Promise<UserPrincipal> {
  const caller = verifyAccessToken(typeof token === "string" ? token : "");
  await countEvent(`connect ${caller.userId}`);
  assertConnectionLimit(caller.userId);
  return caller;
}

/** @throws RATE_LIMITED when the user has too many connections to this process */
export function assertConnectionLimit(userId: string): void {
  if (engine().fanout.connectionsOf(userId) >= connectionsMax)
    throw new DomainError("RATE_LIMITED", `You have ${connectionsMax} connections; close one first.`, {
      retryAfter: 1,
    });
}

/** @throws TOKEN_EXPIRED, UNAUTHENTICATED, ACCOUNT_SUSPENDED, MAINTENANCE */
export function admitEvent(caller: UserPrincipal): void {
  assertCallerActive(caller);
  assertNotInMaintenance();
}

/** Returns the caller by the token of an `auth:refresh`. @throws VALIDATION_ERROR, UNAUTHENTICATED when it is another user's */
export function refreshedCaller({ userId }: UserPrincipal, payload: unknown): UserPrincipal {
  const caller = verifyAccessToken(checkInput(refresh, payload).token);
  if (caller.userId !== userId) throw new DomainError("UNAUTHENTICATED");
  return caller;
}
