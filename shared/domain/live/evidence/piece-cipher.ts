import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const [keyBytes, ivBytes, tagBytes] = [32, 12, 16];

export const newPieceKey = (): Buffer => randomBytes(keyBytes);

/** Encrypts a piece (AES-256-GCM). It only opens with the same context, which says what it is a piece of. */
export function encryptPiece(key: Buffer, context: string, content: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
  const encrypted = Buffer.concat([cipher.update(content), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), encrypted]);
}

/** @throws Error for another key or context */
export function decryptPiece(key: Buffer, context: string, stored: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, stored.subarray(0, ivBytes), { authTagLength: tagBytes })
    .setAAD(Buffer.from(context))
    .setAuthTag(stored.subarray(ivBytes, ivBytes + tagBytes));
  return Buffer.concat([decipher.update(stored.subarray(ivBytes + tagBytes)), decipher.final()]);
}
