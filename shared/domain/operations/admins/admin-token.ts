import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import jwt from "jsonwebtoken";
import { assert } from "#shared/kernel/assert.ts";

/** Lifetime of an admin token and its session, seconds. */
export const adminTokenSeconds = 60 * 60;

/** The claims of an admin token. */
export interface AdminClaims {
  /** The administrator's id. */
  readonly sub: string;
  /** The session's id. */
  readonly sid: string;
  readonly typ: string;
  readonly aud: unknown;
}

export const adminTokenKind = "admin_access";
const secretLengthMin = 32;
let secret: KeyObject | undefined;

/** Sets the signing key, at least 32 characters. Called once at start, before any token is issued or verified. */
export function configureAdminTokens(signingSecret: string): void {
  assert(signingSecret.length >= secretLengthMin, "the signing secret of admin tokens has 32 characters or more");
  secret = createSecretKey(signingSecret, "utf8");
}

/** Returns a signing key for admin tokens that differs from the one of access tokens, which it is derived from. */
export const deriveAdminSecret = (jwtSecret: string): string =>
  createHmac("sha256", jwtSecret).update("hubbub admin tokens").digest("base64url");

/** What every verifier of admin tokens must check. */
export const adminTokenRules = {
  get secret(): KeyObject {
    assert(secret, "admin tokens are configured");
    return secret;
  },
  algorithm: "HS256",
  issuer: "hubbub",
  audience: "admin",
} as const;

/** Returns a new token of an administrator's session. */
export function issueAdminToken(adminId: string, sessionId: string): string {
  const { algorithm, issuer, audience } = adminTokenRules;
  return jwt.sign({ sid: sessionId, typ: adminTokenKind }, adminTokenRules.secret, {
    algorithm,
    issuer,
    audience,
    subject: adminId,
    expiresIn: adminTokenSeconds,
  });
}
