import type { Request } from "express";
import { ExtractJwt } from "passport-jwt";
import type { Principal } from "#shared/contracts/principal.ts";
import type { VerifyToken } from "#shared/domain/identity/sessions/verify-token.ts";
import type { Credentials } from "./api.ts";
import { callerAddress } from "./caller-address.ts";
import type { Locals } from "./respond.ts";
import { userAgentOf } from "./route.ts";

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
 * `principalOf` throws UNAUTHENTICATED or ACCOUNT_SUSPENDED when the token is genuine but no longer holds.
 * @throws UNAUTHENTICATED, TOKEN_EXPIRED, ACCOUNT_SUSPENDED
 */
export const bearerAuthentication =
  <Claims>(
    verify: VerifyToken<Claims>,
    principalOf: (claims: Claims, origin: CallOrigin, req: Request) => Principal | Promise<Principal>,
  ) =>
  async (req: Request): Promise<Principal | null> => {
    const token = bearerToken(req);
    return token === null ? null : principalOf(await verify(token), originOf(req), req);
  };
