import { createHmac, hkdfSync, randomInt } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { accessTokenRules } from "#shared/domain/sessions/access-token.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";

/** What a code proves: that the account's email address, or its number, is its owner's. */
export type CodePurpose = "verify_email" | "verify_mobile";

export const codeMinutes = 10;
/** The maximum of tries per code; the sixth fails even when it is right. */
export const codeTriesMax = 5;

/** Returns when a code made now expires, or the count of tries at an address without one: ISO 8601. */
export const codeExpiry = (): string => new Date(clock.now() + minutesMs(codeMinutes)).toISOString();

/**
 * A million codes are quickly tried, so they are hashed under a key that is not in the database. It is derived from the
 * key that signs access tokens, which every process of the service has.
 */
function keyedHash(...parts: readonly string[]): Buffer {
  const key = hkdfSync("sha256", accessTokenRules.secret, "", "hubbub verification codes", 32);
  return createHmac("sha256", Buffer.from(key)).update(JSON.stringify(parts)).digest();
}

/** Returns the key under which the code of an address is stored. */
export const codeSubject = (purpose: CodePurpose, address: string): Buffer => keyedHash("subject", purpose, address);

/** Returns what is stored of a code; it matches for this purpose and address only. */
export const hashCode = (purpose: CodePurpose, address: string, code: string): Buffer =>
  keyedHash("code", purpose, address, code);

/** Step: issues a code of 6 digits for an address of a user. The previous code becomes invalid. */
export async function issueCode(tx: Tx, userId: string, purpose: CodePurpose, address: string): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  await tx.query(
    `INSERT INTO verification_codes (subject, user_id, code_hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (subject) DO UPDATE
       SET user_id = EXCLUDED.user_id, code_hash = EXCLUDED.code_hash, tries = 0, expires_at = EXCLUDED.expires_at`,
    [codeSubject(purpose, address), userId, hashCode(purpose, address, code), codeExpiry()],
  );
  return code;
}
