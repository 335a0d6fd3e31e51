import { createHmac, hkdfSync, type KeyObject } from "node:crypto";
import { accessTokenRules } from "./access-token.ts";

let derived: { readonly from: KeyObject; readonly key: Buffer } | undefined;

/**
 * Hashes what is quickly guessed (a million codes, addresses, networks) under a key that is not in the database. It is
 * derived from the key that signs access tokens, which every process of the service has.
 */
export function keyedHash(...parts: readonly string[]): Buffer {
  const from = accessTokenRules.secret;
  if (derived?.from !== from)
    derived = { from, key: Buffer.from(hkdfSync("sha256", from, "", "hubbub verification codes", 32)) };
  return createHmac("sha256", derived.key).update(JSON.stringify(parts)).digest();
}
