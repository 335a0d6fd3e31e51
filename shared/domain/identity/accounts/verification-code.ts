import { randomInt } from "node:crypto";
import type { Tx } from "#shared/db/transaction.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";

/** What a code proves: that the account's email address, or its number, is its owner's. */
export type CodePurpose = "verify_email" | "verify_mobile";

export const codeMinutes = 10;

/** Returns when a code made now, or a count of tries that begins now, expires: ISO 8601. */
export const codeExpiry = (): string => new Date(clock.now() + minutesMs(codeMinutes)).toISOString();

/** Returns the key under which the codes of an address are stored. */
export const codeSubject = (purpose: CodePurpose, address: string): Buffer => keyedHash("subject", purpose, address);

/** Returns what is stored of a code; it matches for this purpose, address and account only. */
export const hashCode = (purpose: CodePurpose, address: string, userId: string, code: string): Buffer =>
  keyedHash("code", purpose, address, userId, code);

/**
 * Step: issues a code of 6 digits for an address of a user. Their previous code becomes invalid, and tries at this
 * address are counted from zero.
 */
export async function issueCode(tx: Tx, userId: string, purpose: CodePurpose, address: string): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const subject = codeSubject(purpose, address);
  await tx.query(
    `INSERT INTO verification_codes (subject, user_id, code_hash, expires_at) VALUES ($1, $2, $3, $4)
     ON CONFLICT (subject, user_id) DO UPDATE SET code_hash = EXCLUDED.code_hash, expires_at = EXCLUDED.expires_at`,
    [subject, userId, hashCode(purpose, address, userId, code), codeExpiry()],
  );
  await tx.query("DELETE FROM verification_tries WHERE subject = $1", [subject]);
  return code;
}
