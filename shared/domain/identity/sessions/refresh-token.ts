import { createHash, createHmac, randomBytes } from "node:crypto";
import { accessTokenRules } from "./access-token.ts";

/** Returns the first refresh token of a session: 256 random bits, opaque to clients. Only its hash is stored. */
export const newRefreshToken = (): string => randomBytes(32).toString("base64url");

/**
 * Returns the token that follows another: always the same one, so that a client that repeats a refresh gets the answer
 * that it lost. Derived under the signing key, so that no holder of an old token can compute what follows.
 */
export const successorOf = (token: string): string =>
  createHmac("sha256", accessTokenRules.secret).update(`refresh token after ${token}`).digest("base64url");

/** Returns what the database keeps of a refresh token. No salt: a token cannot be guessed. */
export const hashRefreshToken = (token: string): Buffer => createHash("sha256").update(token).digest();
