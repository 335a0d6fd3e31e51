import { clock } from "#shared/kernel/clock.ts";
import type { AccessClaims } from "./access-token.ts";

const caches = new Set<Map<string, unknown>>();
const kept = 10_000;

export interface ClaimsCache<Claims> {
  /** Returns the claims of a token that was verified before and has not expired. */
  find(token: string): Claims | undefined;
  keep(token: string, claims: Claims): void;
}

/**
 * Creates a cache of the claims of tokens whose signature was verified: verifying it at each call takes a third of a
 * read's time. Whether their sessions and accounts are still active is checked at each call.
 */
export function claimsCache<Claims extends { readonly exp: number }>(): ClaimsCache<Claims> {
  const verified = new Map<string, Claims>();
  caches.add(verified);

  return {
    find(token) {
      const claims = verified.get(token);
      if (!claims || claims.exp * 1000 > clock.now()) return claims;
      verified.delete(token);
      return undefined;
    },
    keep(token, claims) {
      const [oldest] = verified.size >= kept ? verified.keys() : [];
      if (oldest !== undefined) verified.delete(oldest);
      verified.set(token, claims);
    },
  };
}

/** The cache of the claims of access tokens. */
export const accessClaims = claimsCache<AccessClaims>();

/** Empties all caches: with another signing key, none of the tokens may be valid. */
export function forgetClaims(): void {
  for (const cache of caches) cache.clear();
}
