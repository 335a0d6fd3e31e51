import type { Request } from "express";
import passport from "passport";
import { ExtractJwt, Strategy } from "passport-jwt";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { type AccessClaims, accessTokenRules, callerOf } from "#shared/domain/sessions/access-token.ts";
import { keepClaims, knownClaims } from "#shared/domain/sessions/verified-tokens.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

const strategyName = "user-access-token";
const bearerToken = ExtractJwt.fromAuthHeaderAsBearerToken();

/** Registers the strategy; the rules (key, algorithm, issuer, audience) are those of `access-token.ts`. */
export function usePassport(): void {
  const { secret, algorithm, issuer, audience } = accessTokenRules();
  passport.use(
    strategyName,
    new Strategy(
      {
        jwtFromRequest: bearerToken,
        // jsonwebtoken, which reads it, takes a key object; the types of passport-jwt do not know.
        secretOrKey: secret as unknown as string,
        algorithms: [algorithm],
        issuer,
        audience,
        passReqToCallback: true,
      },
      (req: Request, claims: AccessClaims, done: (error: unknown, caller?: UserPrincipal | false) => void) => {
        try {
          keepClaims(bearerToken(req)!, claims);
          done(null, callerOf(claims));
        } catch (refusal) {
          done(refusal);
        }
      },
    ),
  );
}

/**
 * Who is calling, by the bearer token.
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED
 */
export async function authenticate(req: Request): Promise<UserPrincipal> {
  const token = bearerToken(req);
  const known = token === null ? undefined : knownClaims(token);
  if (known) return callerOf(known);
  return new Promise((resolve, reject) => {
    const settle = (error: unknown, caller: UserPrincipal | false | null, info?: Error) => {
      if (error) reject(error);
      else if (caller) resolve(caller);
      else reject(new DomainError(info?.name === "TokenExpiredError" ? "TOKEN_EXPIRED" : "UNAUTHENTICATED"));
    };
    passport.authenticate(strategyName, { session: false }, settle)(req, req.res, reject);
  });
}
