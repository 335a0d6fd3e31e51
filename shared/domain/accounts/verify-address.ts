import { timingSafeEqual } from "node:crypto";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { codeInvalid } from "./accounts.errors.ts";
import { type CodePurpose, codeExpiry, codeSubject, codeTriesMax, hashCode } from "./verification-code.ts";

interface TriedCode {
  user_id: string | null;
  code_hash: Buffer | null;
  tries: number;
  live: boolean;
}

/**
 * Verifies an email address (in lower case) or a number by its code, which is valid once. An unknown address, one that
 * needs no code, a wrong code, an expired one and the sixth try take the same time and fail with the same error.
 * @throws CODE_INVALID
 */
export async function verifyAddress(purpose: CodePurpose, address: string, code: string): Promise<void> {
  const verified = await inTransaction(async (tx) => {
    const tried = await countTry(tx, purpose, address);
    const given = hashCode(purpose, address, code);
    const right = timingSafeEqual(given, tried.code_hash ?? Buffer.alloc(given.length));
    if (!right || !tried.live || tried.user_id === null || tried.tries > codeTriesMax) return false;
    await tx.query("DELETE FROM verification_codes WHERE subject = $1", [codeSubject(purpose, address)]);
    return markVerified(tx, purpose, tried.user_id, address);
  });
  // Thrown inside, it would roll the count back.
  if (!verified) throw codeInvalid();
}

/** The row lock serialises concurrent tries. Unknown addresses are stored too, so that they take the same time. */
async function countTry(tx: Tx, purpose: CodePurpose, address: string): Promise<TriedCode> {
  const [tried] = await tx.query<TriedCode>(
    `INSERT INTO verification_codes AS c (subject, tries, expires_at) VALUES ($1, 1, $2)
     ON CONFLICT (subject) DO UPDATE SET tries = c.tries + 1
     RETURNING user_id, code_hash, tries, expires_at > $3 AS live`,
    [codeSubject(purpose, address), codeExpiry(), isoNow()],
  );
  return tried!;
}

/** Returns whether the address is still the account's. */
async function markVerified(tx: Tx, purpose: CodePurpose, userId: string, address: string): Promise<boolean> {
  const column = purpose === "verify_email" ? "email" : "mobile";
  const marked = await tx.query(
    `UPDATE users SET ${column}_verified_at = coalesce(${column}_verified_at, $3)
     WHERE id = $1 AND ${column} = $2 AND status <> 'deleted' RETURNING 1`,
    [userId, address, isoNow()],
  );
  return marked.length > 0;
}
