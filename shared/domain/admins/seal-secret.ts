import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { logger } from "#shared/kernel/logger.ts";
import { adminTokenRules } from "./admin-token.ts";

/** How a stored secret begins; Base32 has no such character. */
const sealed = "v1.";
const [ivBytes, tagBytes] = [12, 16];

/** A key of its own, derived from the key of admin tokens, so that a copy of the database isn't enough to read them. */
const sealingKey = () =>
  Buffer.from(hkdfSync("sha256", adminTokenRules.secret.export(), "", "hubbub second factors", 32));

/** Encrypts a secret of an administrator (AES-256-GCM). It only opens for the same one. */
export function sealSecret(adminId: string, secret: string): string {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", sealingKey(), iv).setAAD(Buffer.from(adminId));
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return sealed + Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url");
}

export const isSealed = (stored: string): boolean => stored.startsWith(sealed);

/**
 * Decrypts a secret. One stored by an earlier release isn't encrypted. Returns undefined for one that was encrypted with
 * another key, or for another administrator.
 */
export function openSecret(adminId: string, stored: string): string | undefined {
  if (!isSealed(stored)) return stored;
  const bytes = Buffer.from(stored.slice(sealed.length), "base64url");
  try {
    const decipher = createDecipheriv("aes-256-gcm", sealingKey(), bytes.subarray(0, ivBytes))
      .setAAD(Buffer.from(adminId))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    logger.warn({ adminId }, "a second factor can't be decrypted: the secret of admin tokens has changed");
    return undefined;
  }
}
