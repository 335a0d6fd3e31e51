import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { assert } from "./assert.ts";
import { logger } from "./logger.ts";

/**
 * Encrypts what the database keeps of secrets (AES-256-GCM), so that a copy of it isn't enough to read them. A stored
 * secret is `v2.<key>.<base64url of IV, tag, and text>`, where `key` names the key that it was sealed with.
 */
const version = "v2";
const [ivBytes, tagBytes] = [12, 16];

/** Releases before `v2` named no key, and had one that was derived from the key of admin tokens. */
const earlier = "v1";

interface Keys {
  readonly current: string;
  readonly byName: ReadonlyMap<string, Buffer>;
}
let keys: Keys | undefined;

const derive = (secret: string, purpose: string, bytes = 32) =>
  Buffer.from(hkdfSync("sha256", secret, "", `hubbub ${purpose}`, bytes));

export interface SealingSetup {
  /** The first seals, and all open. Each has 32 characters or more. */
  readonly secrets: readonly string[];
  /** The signing secret of admin tokens, which earlier releases sealed with. */
  readonly adminSecret: string;
}

/** Sets the keys. Called once at start. */
export function configureSealing({ secrets, adminSecret }: SealingSetup): void {
  assert(
    secrets.length > 0 && secrets.every(({ length }) => length >= 32),
    "an encryption key has 32 characters or more",
  );
  const named = secrets.map(
    (secret) => [derive(secret, "name of key", 4).toString("hex"), derive(secret, "sealing")] as const,
  );
  keys = { current: named[0]![0], byName: new Map([[earlier, derive(adminSecret, "second factors")], ...named]) };
}

/** Returns the default of the encryption key, derived from the secret of access tokens. */
export const deriveEncryptionKey = (jwtSecret: string): string =>
  createHmac("sha256", jwtSecret).update("hubbub encryption").digest("base64url");

function configured(): Keys {
  assert(keys, "sealing is configured");
  return keys;
}

/** Returns how everything starts that the current key has sealed. */
export const sealedPrefix = (): string => `${version}.${configured().current}.`;

/** Encrypts a secret. It only opens with the same context, which says what it belongs to, such as `gateway 7`. */
export function seal(context: string, text: string): string {
  const { current, byName } = configured();
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv("aes-256-gcm", byName.get(current)!, iv).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return sealedPrefix() + Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString("base64url");
}

/** Decrypts a secret. Returns undefined if its key isn't configured, or if it belongs to another context. */
export function unseal(context: string, stored: string): string | undefined {
  const parts = stored.split(".");
  const key = configured().byName.get(parts.length === 3 ? parts[1]! : parts[0]!);
  const bytes = Buffer.from(parts.at(-1)!, "base64url");
  try {
    assert(key, "the key of a sealed secret is configured");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
      .setAAD(Buffer.from(context))
      .setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString("utf8");
  } catch {
    logger.error({ context, key: parts.length === 3 ? parts[1] : earlier }, "a stored secret can't be decrypted");
    return undefined;
  }
}
