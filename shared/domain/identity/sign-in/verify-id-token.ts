import { createHash, timingSafeEqual } from "node:crypto";
import { errors, type JWTPayload, jwtVerify } from "jose";
import { clock } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type Configured, openIdProvider } from "./openid.config.ts";

/** What a provider has proved of a person. */
export interface Proof {
  readonly provider: string;
  /** The person's ID at the provider. */
  readonly subject: string;
  /** The app that the token was issued to. */
  readonly clientId: string;
  /** In lower case; null if the provider names none, or nothing that is an address. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** Identifies the token's nonce, which logs in once. */
  readonly nonce: Buffer;
  /** When the token expires, ISO 8601. */
  readonly expiresAt: string;
}

/** Signatures by asymmetric keys only: `none`, and a secret that everyone knows, prove nothing. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA"];
/** Clocks of providers may be ahead of ours by this much. Tokens that have expired get no such grace. */
const aheadSeconds = 5;
/** Nonces are stored until their token expires. No provider's token lasts longer than this. */
const lifetimeSeconds = 31 * 86_400;
/** Larger subjects and addresses are no person's. */
const subjectMax = 255;
const emailPattern = /^[^\s@"<>()]{1,64}@[a-z0-9.-]{1,189}$/;

/** The error for every token that isn't accepted: which check failed helps only those who forge tokens. */
export const tokenRejected = () =>
  new DomainError("INVALID_CREDENTIALS", "This login wasn't accepted. Log in with the provider again.");

/**
 * Verifies an ID token (OpenID Connect Core 3.1.3.7): signature, issuer, audience, times, and that it was issued for
 * this `nonce`, as it is or as its SHA-256 in hexadecimal, which Apple's and Firebase's libraries send.
 * @throws INVALID_CREDENTIALS, ENGINE_UNAVAILABLE when the provider's keys can't be read, NOT_FOUND when it isn't
 * configured
 */
export async function verifyIdToken(name: string, token: string, nonce: string): Promise<Proof> {
  const claims = await verifySigned(name, token, ["sub", "exp", "iat", "nonce"]);
  const { clientIds } = openIdProvider(name);
  if (!isOfNonce(claims, nonce)) throw tokenRejected();
  const { sub, email, email_verified, name: fullName } = claims;
  if (typeof sub !== "string" || sub === "" || sub.length > subjectMax) throw tokenRejected();
  if (email !== undefined && typeof email !== "string") throw tokenRejected();
  const address = email?.toLowerCase();
  const isAddress = address !== undefined && emailPattern.test(address);
  return {
    provider: name,
    subject: sub,
    clientId: [claims.azp, claims.aud].flat().find((id) => clientIds.includes(id as string)) as string,
    email: isAddress ? address : null,
    // Apple sends a string.
    emailVerified: isAddress && (email_verified === true || email_verified === "true"),
    name: typeof fullName === "string" ? fullName : null,
    nonce: createHash("sha256").update(`${name} ${nonce}`).digest(),
    expiresAt: new Date(claims.exp! * 1000).toISOString(),
  };
}

/**
 * Verifies what a provider has signed for us: signature, issuer, audience, and times. Returns its claims.
 * @throws INVALID_CREDENTIALS, ENGINE_UNAVAILABLE when the provider's keys can't be read, NOT_FOUND when it isn't
 * configured
 */
export const verifySigned = async (name: string, token: string, requiredClaims: string[]): Promise<JWTPayload> =>
  verifyIssued(openIdProvider(name), token, requiredClaims);

/**
 * The same for an issuer that isn't a way to log in; its tokens may be for `clientIds`.
 * @throws INVALID_CREDENTIALS, ENGINE_UNAVAILABLE when its keys can't be read
 */
export async function verifyIssued(
  { issuer, clientIds, keys, key }: Omit<Configured, "name">,
  token: string,
  requiredClaims: string[],
): Promise<JWTPayload> {
  const claims = await jwtVerify(token, key ? () => key : keys.keyOf, {
    issuer,
    audience: [...clientIds],
    algorithms,
    requiredClaims,
    currentDate: new Date(clock.now()),
  }).then(
    ({ payload }) => payload,
    (error: unknown) => {
      throw error instanceof errors.JOSEError || error instanceof TypeError ? tokenRejected() : error;
    },
  );
  if (!isForUs(claims, clientIds)) throw tokenRejected();
  return claims;
}

/** Of several audiences, the party that the token was issued to must be ours, too; its times are those of a login. */
function isForUs({ aud, azp, iat, exp }: JWTPayload, clientIds: readonly string[]): boolean {
  const now = clock.now() / 1000;
  if (iat! > now + aheadSeconds || exp! > now + lifetimeSeconds) return false;
  if (!Array.isArray(aud) || aud.length === 1) return true;
  return typeof azp === "string" && clientIds.includes(azp);
}

function isOfNonce({ nonce: claimed }: JWTPayload, nonce: string): boolean {
  if (typeof claimed !== "string") return false;
  const same = (one: string) => {
    const [a, b] = [Buffer.from(one), Buffer.from(claimed)];
    return a.length === b.length && timingSafeEqual(a, b);
  };
  return same(nonce) || same(createHash("sha256").update(nonce).digest("hex"));
}
