import { connectionActions } from "#shared/contracts/actions.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { eventRate, floodPoints } from "#shared/contracts/client-events.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { assertNotInMaintenance } from "#shared/domain/base/settings/maintenance.ts";
import { assertNotSanctioned } from "#shared/domain/identity/sanctions/active-sanctions.ts";
import { assertCallerActive, verifyAccessToken } from "#shared/domain/identity/sessions/access-token.ts";
import { assertTermsAccepted } from "#shared/domain/identity/sessions/current-terms.ts";
import { isUserSuspended } from "#shared/domain/identity/sessions/revocations.ts";
import { assertAgeMay } from "#shared/domain/identity/sign-in/age-may.ts";
import { assertGuestMay } from "#shared/domain/identity/sign-in/guest-may.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { engine } from "../engine.ts";
import type { ClientConnection } from "./dispatch.ts";

/**
 * The checks that a connection must pass over either transport: at the handshake, when it opens, and for each event.
 */

const refresh = connectionActions["auth:refresh"].payload.required();

const floods = (userId: string): boolean => engine().events.rejectedOf(userId) > floodPoints - eventRate.points;

/**
 * Counts an event of a user, valid or not, over all their connections. Ends the connection of a user who
 * floods: rejecting each event would cost as much as they like.
 * @throws RATE_LIMITED
 */
export async function countEvent({ caller: { userId }, end }: ClientConnection): Promise<void> {
  if (!engine().rateLimits) return;
  try {
    await engine().events.count(userId);
  } catch (error) {
    if (floods(userId)) end();
    throw error;
  }
}

/**
 * Authenticates a handshake from an IP address.
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED, SANCTIONED, TERMS_NOT_ACCEPTED, RATE_LIMITED for too
 *   many attempts
 */
export async function admitConnection(token: unknown, address: string): Promise<UserPrincipal> {
  if (typeof token !== "string" || token === "")
    throw new DomainError(
      "UNAUTHENTICATED",
      "No access token was sent. Over Socket.IO, send it as `auth.token`; with Colyseus, set `client.auth.token`.",
    );
  const caller = { ...(await verifyAccessToken(token)), address };
  assertNotSanctioned(caller, "connect");
  assertTermsAccepted(caller, "connect");
  if (!engine().rateLimits) return caller;
  if (floods(caller.userId)) throw new DomainError("RATE_LIMITED", undefined, { retryAfter: eventRate.seconds });
  await engine().events.count(`connect ${caller.userId}`);
  return caller;
}

/**
 * The same for a connection that has just opened: what ended its session since the handshake didn't find it.
 * @throws TOKEN_EXPIRED, UNAUTHENTICATED, ACCOUNT_SUSPENDED, SANCTIONED
 */
export function assertStillAdmitted(caller: UserPrincipal): void {
  assertCallerActive(caller);
  assertNotSanctioned(caller, "connect");
}

/**
 * Returns whether a user leaves their room at once when their session is ended. A suspended user is removed from it
 * instead, and others see why.
 */
export const leavesWithSession = ({ userId }: Pick<UserPrincipal, "userId">): boolean => !isUserSuspended(userId);

/**
 * @throws TOKEN_EXPIRED, UNAUTHENTICATED, ACCOUNT_SUSPENDED, MAINTENANCE, AGE_RESTRICTED, SANCTIONED,
 *   TERMS_NOT_ACCEPTED, GUEST_NOT_ALLOWED
 */
export function admitEvent(caller: UserPrincipal, event: string): void {
  assertCallerActive(caller);
  assertNotInMaintenance();
  assertAgeMay(caller, event);
  assertNotSanctioned(caller, event);
  assertTermsAccepted(caller, event);
  assertGuestMay(caller, event);
}

/**
 * Returns the caller by the token of an `auth:refresh`.
 * @throws VALIDATION_ERROR, UNAUTHENTICATED when it is another user's
 */
export async function refreshedCaller(
  { userId, address = "" }: UserPrincipal,
  payload: unknown,
): Promise<UserPrincipal> {
  const caller = await verifyAccessToken(checkInput(refresh, payload).token);
  if (caller.userId !== userId) throw new DomainError("UNAUTHENTICATED");
  return { ...caller, address };
}
