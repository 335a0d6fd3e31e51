import type { AccessClaims } from "./access-token.ts";

/**
 * Tokens whose signature was found right, with what they say: checking it anew at each call is a third of what a read
 * costs. It says nothing of whether their sessions and accounts still stand: that is asked at each call.
 */
const verified = new Map<string, AccessClaims>();
const kept = 10_000;

/** What a token says that was verified before and has not expired. */
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

/** With another key none of them need be right. */
export const forgetClaims = (): void => verified.clear();
