import { createHmac, hkdfSync } from "node:crypto";
import { accessTokenRules } from "#shared/domain/identity/sessions/access-token.ts";

/**
 * Hashes what is quickly guessed (a million codes, addresses, networks) under a key that is not in the database. It is
 * derived from the key that signs access tokens, which every process of the service has.
 */
export function keyedHash(...parts: readonly string[]): Buffer {
  const key = hkdfSync("sha256", accessTokenRules.secret, "", "hubbub verification codes", 32);
  return createHmac("sha256", Buffer.from(key)).update(JSON.stringify(parts)).digest();
}
