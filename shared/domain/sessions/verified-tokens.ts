import type { AccessClaims } from "./access-token.ts";

/**
 * The claims of tokens whose signature was verified: verifying it at each call takes a third of a read's time. Whether
 * their sessions and accounts are still active is checked at each call.
 */
const verified = new Map<string, AccessClaims>();
const kept = 10_000;

/** Returns the claims of a token that was verified before and has not expired. */
export function knownClaims(token: string): AccessClaims | undefined {
  const claims = verified.get(token);
  if (!claims || claims.exp * 1000 > Date.now()) return claims;
  verified.delete(token);
  return undefined;
}

export function keepClaims(token: string, claims: AccessClaims): void {
  const [oldest] = verified.size >= kept ? verified.keys() : [];
  if (oldest !== undefined) verified.delete(oldest);
  verified.set(token, claims);
}

/** With another signing key, none of them may be valid. */
export const forgetClaims = (): void => verified.clear();
