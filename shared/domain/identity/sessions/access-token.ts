import { createSecretKey, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { assert } from "#shared/kernel/assert.ts";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";
import { currentAge } from "./current-age.ts";
import { isSessionRevoked, isUserSuspended } from "./revocations.ts";
import type { Standing } from "./standing.ts";
import { accessClaims, forgetClaims } from "./verified-tokens.ts";
import { invalidToken, tokenVerifier } from "./verify-token.ts";

/** Lifetime of an access token, seconds. */
export const accessTokenSeconds = 15 * 60;

/** The claims of an access token. */
export interface AccessClaims {
  /** The user's id. */
  readonly sub: string;
  /** The session's id. */
  readonly sid: string;
  /** Distinguishes access tokens from other tokens signed with the same key. */
  readonly typ: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly exp: number;
  /** Of a guest. */
  readonly guest?: true;
  readonly age?: Standing["age"];
  readonly terms?: string;
}

const kind = "access";
const algorithm = "HS256";
const issuer = "hubbub";
const audience = "user";
const secretLengthMin = 32;

/** A key object, because a string would be tried as a public key first at each verification. */
let secret: KeyObject | undefined;

/** Sets the signing key, at least 32 characters. Called once at start, before any token is issued or verified. */
export function configureAccessTokens(signingSecret: string): void {
  assert(signingSecret.length >= secretLengthMin, "the signing secret has 32 characters or more");
  secret = createSecretKey(signingSecret, "utf8");
  forgetClaims();
}

/** What every verifier of access tokens must check. */
export const accessTokenRules = {
  get secret(): KeyObject {
    assert(secret, "access tokens are configured");
    return secret;
  },
  algorithm,
  issuer,
  audience,
} as const;

/** Returns a new access token of a session, valid for 15 minutes, or for `seconds`. */
export function issueAccessToken(
  userId: string,
  sessionId: string,
  { seconds = accessTokenSeconds, isGuest, age, terms }: { readonly seconds?: number } & Standing = {},
): string {
  return jwt.sign(
    { sid: sessionId, typ: kind, ...(isGuest && { guest: true }), ...(age && { age }), ...(terms && { terms }) },
    accessTokenRules.secret,
    {
      algorithm,
      issuer,
      audience,
      subject: userId,
      expiresIn: seconds,
    },
  );
}

/** Verifies an access token, wherever it comes from. @throws UNAUTHENTICATED, TOKEN_EXPIRED */
export const verifyAccessClaims = tokenVerifier("user-access-token", accessTokenRules, accessClaims);

/**
 * Returns the user whom a token authenticates; for Socket.IO, native clients, and pages.
 * @throws UNAUTHENTICATED (an invalid token, or its session is revoked), TOKEN_EXPIRED, ACCOUNT_SUSPENDED,
 *   CONSENT_REQUIRED
 */
export async function verifyAccessToken(token: string): Promise<UserPrincipal> {
  const caller = callerOf(await verifyAccessClaims(token));
  if (currentAge(caller) === "frozen") throw new DomainError("CONSENT_REQUIRED");
  return caller;
}

/**
 * Returns the user whom verified claims name, unless their session is revoked or their account suspended. Reads memory,
 * never the database.
 * @throws UNAUTHENTICATED, ACCOUNT_SUSPENDED
 */
export function callerOf(claims: AccessClaims): UserPrincipal {
  const { sub, sid, typ, exp, guest, age, terms } = claims;
  if (typ !== kind || !isId(sub) || !isId(sid) || typeof exp !== "number") throw invalidToken();
  const caller: UserPrincipal = {
    kind: "user",
    userId: sub,
    sessionId: sid,
    expiresAtMs: exp * 1000,
    ...(guest && { isGuest: true }),
    ...(age && { age }),
    ...(terms && { terms }),
  };
  checkStanding(caller);
  return caller;
}

/**
 * Asserts that a caller who was authenticated earlier still is; for connections, at each action.
 * @throws TOKEN_EXPIRED, UNAUTHENTICATED, ACCOUNT_SUSPENDED
 */
export function assertCallerActive(caller: UserPrincipal): void {
  checkStanding(caller);
  if (caller.expiresAtMs <= clock.now()) throw new DomainError("TOKEN_EXPIRED");
}

function checkStanding({ userId, sessionId }: UserPrincipal): void {
  if (isUserSuspended(userId)) throw new DomainError("ACCOUNT_SUSPENDED");
  if (isSessionRevoked(sessionId))
    throw new DomainError("UNAUTHENTICATED", "This login session has ended. Log in again.");
}
