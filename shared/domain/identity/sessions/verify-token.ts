import type { KeyObject } from "node:crypto";
import passport from "passport";
import { Strategy } from "passport-jwt";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { ClaimsCache } from "./verified-tokens.ts";

/** What a kind of JWT must be signed with and say. */
export interface TokenRules {
  readonly secret: KeyObject;
  readonly algorithm: "HS256";
  readonly issuer: string;
  readonly audience: string;
}

/** The error for a token that is not genuine, as opposed to one that is expired or revoked. */
export const invalidToken = () =>
  new DomainError("UNAUTHENTICATED", "The access token is invalid. Log in again, or refresh it.");

/** Returns the claims of a token. @throws UNAUTHENTICATED, TOKEN_EXPIRED */
export type VerifyToken<Claims> = (token: string) => Promise<Claims>;

/**
 * Makes the one verifier of a kind of token, for calls, connections, and pages: passport's strategy of this name.
 * `verified` keeps the claims of tokens, because checking a signature again is a third of what a read costs.
 */
export function tokenVerifier<Claims>(
  name: string,
  rules: TokenRules,
  verified?: ClaimsCache<Claims>,
): VerifyToken<Claims> {
  const { algorithm, issuer, audience } = rules;
  passport.use(
    name,
    new Strategy(
      {
        jwtFromRequest: (request) => (request as unknown as { token: string }).token,
        // jsonwebtoken, which reads it, takes a key object; the types of passport-jwt do not know.
        secretOrKeyProvider: (_request, _token, done) => done(null, rules.secret as unknown as string),
        algorithms: [algorithm],
        issuer,
        audience,
      },
      (claims: object, done) => done(null, claims),
    ),
  );

  return async (token) => {
    const known = verified?.find(token);
    if (known) return known;
    const claims = await new Promise<Claims>((resolve, reject) => {
      const settle = (error: unknown, found?: Claims | false | null, info?: Error) => {
        if (error) reject(error);
        else if (found) resolve(found);
        else reject(info?.name === "TokenExpiredError" ? new DomainError("TOKEN_EXPIRED") : invalidToken());
      };
      passport.authenticate(name, { session: false }, settle)({ token }, undefined, reject);
    });
    verified?.keep(token, claims);
    return claims;
  };
}
