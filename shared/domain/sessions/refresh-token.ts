import { createHash, randomBytes } from "node:crypto";

/** A new refresh token: 256 random bits, opaque to everybody. Only its hash is stored. */
export const newRefreshToken = (): string => randomBytes(32).toString("base64url");

/** What the database keeps of a refresh token. No salt: the token is random, so nothing can be guessed from it. */
export const hashRefreshToken = (token: string): Buffer => createHash("sha256").update(token).digest();
