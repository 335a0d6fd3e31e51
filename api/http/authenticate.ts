import type { KeyObject } from "node:crypto";
import type { Request } from "express";
import passport from "passport";
import { ExtractJwt, Strategy } from "passport-jwt";
import type { Principal } from "#shared/contracts/principal.ts";
import { invalidToken } from "#shared/domain/identity/sessions/access-token.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Credentials } from "./api.ts";
import { callerAddress } from "./caller-address.ts";
import type { Locals } from "./respond.ts";
import { userAgentOf } from "./route.ts";

/** A kind of JWT: how it is verified, and the principal that it authenticates. */
export interface TokenKind<Claims> {
  /** Unique among the kinds. */
  readonly name: string;
  readonly rules: {
    readonly secret: KeyObject;
    readonly algorithm: "HS256";
    readonly issuer: string;
    readonly audience: string;
  };
  /** Claims of tokens that were verified before: checking a signature again is a third of what a read costs. */
  readonly verified?: {
    readonly find: (token: string) => Claims | undefined;
    readonly keep: (token: string, claims: Claims) => void;
  };
  /** @throws UNAUTHENTICATED, ACCOUNT_SUSPENDED when the token is genuine but no longer holds */
  readonly principalOf: (claims: Claims, origin: CallOrigin) => Principal | Promise<Principal>;
}

/** Where a call comes from, for principals that are audited. */
export interface CallOrigin {
  readonly ip: string;
  readonly userAgent: string;
  readonly requestId: string;
}

/** Reads the IP address on demand only: the headers of all proxies are parsed to find it. */
const originOf = (req: Request): CallOrigin => ({
  get ip() {
    return callerAddress(req);
  },
  userAgent: userAgentOf(req),
  requestId: (req.res!.locals as Locals).requestId,
});

/** Returns the credentials of an API whose callers send a bearer token. `description` says where to get one. */
export const bearerCredentials = (name: string, description: string): Credentials => ({
  name,
  scheme: { type: "http", scheme: "bearer", bearerFormat: "JWT", description },
  challenge: "Bearer",
  headersOf: (token) => ({ authorization: `Bearer ${token}` }),
});

const bearerToken = ExtractJwt.fromAuthHeaderAsBearerToken();

/**
 * Makes the authentication of an API whose callers send a JWT as bearer token. It returns null without a token.
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED
 */
export function bearerAuthentication<Claims>({ name, rules, verified, principalOf }: TokenKind<Claims>) {
  const { algorithm, issuer, audience } = rules;
  passport.use(
    name,
    new Strategy(
      {
        jwtFromRequest: bearerToken,
        // jsonwebtoken, which reads it, takes a key object; the types of passport-jwt do not know.
        secretOrKeyProvider: (_req, _token, done) => done(null, rules.secret as unknown as string),
        algorithms: [algorithm],
        issuer,
        audience,
        passReqToCallback: true,
      },
      async (req: Request, claims: Claims, done: (error: unknown, caller?: Principal | false) => void) => {
        try {
          verified?.keep(bearerToken(req)!, claims);
          done(null, await principalOf(claims, originOf(req)));
        } catch (error) {
          done(error);
        }
      },
    ),
  );

  return async (req: Request): Promise<Principal | null> => {
    const token = bearerToken(req);
    if (token === null) return null;
    const known = verified?.find(token);
    if (known) return principalOf(known, originOf(req));

    return new Promise((resolve, reject) => {
      const settle = (error: unknown, caller: Principal | false | null, info?: Error) => {
        if (error) reject(error);
        else if (caller) resolve(caller);
        else reject(info?.name === "TokenExpiredError" ? new DomainError("TOKEN_EXPIRED") : invalidToken());
      };
      passport.authenticate(name, { session: false }, settle)(req, req.res, reject);
    });
  };
}
