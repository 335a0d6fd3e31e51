import { createHash, randomBytes } from "node:crypto";

/** Returns a new secret: 256 random bits, base64url. Only its hash is stored. */
export const newSecret = (): string => randomBytes(32).toString("base64url");

/** Returns what the database keeps of a secret. No salt: 256 random bits cannot be guessed. */
export const hashSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();
