import { timingSafeEqual } from "node:crypto";
import { inTransaction, type Tx, violatedConstraint } from "#shared/db/transaction.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { networkOf } from "#shared/kernel/network-of.ts";
import { accountSteps } from "./account-steps.ts";
import { codeInvalid } from "./accounts.errors.ts";
import { type CodePurpose, codeExpiry, codeSubject, hashCode } from "./verification-code.ts";

/** Who tries a code. */
export interface Verifier {
  readonly ip: string;
  /** The account of the access token that came with the call, if any. */
  readonly userId?: string | undefined;
}

/**
 * How often one caller may try a code, and all callers of a pool together. A caller is the account of the access token,
 * else a network. The account that the code is for shares its tries with no one; the networks that its sessions come
 * from have a pool of their own; strangers have another. So strangers never use up the owner's tries.
 *
 * At most 5 + 20 + 20 = 45 of a million codes are tried for each code sent. An address is sent at most 20 codes a day
 * (`message-limits.ts`), so a user who claims a foreign address and tries from as many networks as they like verifies
 * it with a probability of 0.09 % a day, while its owner gets 20 messages; from one network, 10 × 20 tries: 0.02 %.
 */
export const triesPerCaller = 5;
export const triesPerPool = 20;

interface LiveCode {
  readonly user_id: string;
  readonly code_hash: Buffer;
  /** Where the account's sessions come from. */
  readonly ips: readonly string[];
}

/**
 * Verifies an email address (in lower case) or a number by its code, which is valid once and tells the account that it
 * was sent for. From then on the address is that account's alone, and other accounts' claims lapse. The first verified
 * address earns the signup bonus, if the settings say so. With an access token, only a code for its account is right:
 * else the owner of an address who enters the code of a stranger's claim would give the address to that account. An
 * unknown address, one that another account has verified, a wrong code, an expired one and one try too many take the
 * same time and fail with the same error.
 * @throws CODE_INVALID
 */
export async function verifyAddress(
  purpose: CodePurpose,
  address: string,
  code: string,
  verifier: Verifier,
): Promise<void> {
  const verified = await inTransaction(async (tx) => {
    const subject = codeSubject(purpose, address);
    const codes = await liveCodes(tx, subject);
    const mayTry = await countTry(tx, subject, codes, verifier);
    const own = codes.filter(({ user_id }) => verifier.userId === undefined || user_id === verifier.userId);
    const right = (own.length > 0 ? own : [noCode]).find(({ user_id, code_hash }) =>
      timingSafeEqual(code_hash, hashCode(purpose, address, user_id, code)),
    );
    if (!mayTry || !right || !(await takeCode(tx, subject, right))) return false;
    await markVerified(tx, purpose, right.user_id, address, verifier.ip);
    return true;
  }).catch((error: unknown) => {
    throw isAnothers(error) ? codeInvalid() : error;
  });
  // Thrown inside the transaction, it would roll back the count.
  if (!verified) throw codeInvalid();
}

/** Matches nothing, and takes as long as a wrong code. */
const noCode: LiveCode = { user_id: "", code_hash: Buffer.alloc(32), ips: [] };

/** At most this many sessions are read. */
const sessionsMax = 50;

const liveCodes = (tx: Tx, subject: Buffer): Promise<LiveCode[]> =>
  tx.query<LiveCode>(
    `SELECT user_id, code_hash, ARRAY(
       SELECT ip FROM sessions s WHERE s.user_id = c.user_id AND revoked_at IS NULL AND ip IS NOT NULL
       ORDER BY id DESC LIMIT $3) AS ips
     FROM verification_codes c WHERE subject = $1 AND expires_at > $2`,
    [subject, isoNow(), sessionsMax],
  );

/** Step: counts a try, with the caller's own and with those of their pool. Returns whether it may succeed. */
export async function countTry(
  tx: Tx,
  subject: Buffer,
  codes: readonly Pick<LiveCode, "user_id" | "ips">[],
  { ip, userId }: Verifier,
): Promise<boolean> {
  const network = networkOf(ip);
  const isOwner = codes.some(({ user_id }) => user_id === userId);
  const isAtHome = codes.some(({ ips }) => ips.some((known) => networkOf(known) === network));
  const caller = keyedHash("caller", userId ?? network);
  // The owner's pool is shared with no one.
  const pool = keyedHash("pool", isOwner ? userId! : isAtHome ? "home" : "strangers");

  // The locks on these rows serialise concurrent tries. Unknown addresses are counted too, for the same time.
  const counted = await tx.query<{ counter: Buffer; tries: number }>(
    `INSERT INTO verification_tries AS t (subject, counter, tries, expires_at)
     SELECT $1, counter, 1, $3 FROM unnest($2::bytea[]) AS counter ORDER BY counter
     ON CONFLICT (subject, counter) DO UPDATE SET tries = t.tries + 1 RETURNING counter, tries`,
    [subject, [caller, pool], codeExpiry()],
  );
  return counted.every(({ counter, tries }) => tries <= (caller.equals(counter) ? triesPerCaller : triesPerPool));
}

/** Returns whether the code was still there: of concurrent calls, one takes it. */
async function takeCode(tx: Tx, subject: Buffer, { user_id, code_hash }: LiveCode): Promise<boolean> {
  const taken = await tx.query(
    "DELETE FROM verification_codes WHERE subject = $1 AND user_id = $2 AND code_hash = $3 RETURNING 1",
    [subject, user_id, code_hash],
  );
  return taken.length > 0;
}

/**
 * @throws an error that `isAnothers` when another account has verified the address, CODE_INVALID when this one lost it
 */
async function markVerified(tx: Tx, purpose: CodePurpose, userId: string, address: string, ip: string): Promise<void> {
  if (!(await claimAddress(tx, purpose, userId, address))) throw codeInvalid();
  await accountSteps().earned(tx, userId, { when: "verified", ip, address });
}

/**
 * Step: makes an address that account's alone, and withdraws all codes for it. Returns whether the account still has
 * it.
 * @throws an error that `isAnothers` when another account has verified it
 */
export async function claimAddress(tx: Tx, purpose: CodePurpose, userId: string, address: string): Promise<boolean> {
  const column = purpose === "verify_email" ? "email" : "mobile";
  const marked = await tx.query(
    `UPDATE users SET ${column}_verified_at = coalesce(${column}_verified_at, $3)
     WHERE id = $1 AND ${column} = $2 AND status <> 'deleted' RETURNING 1`,
    [userId, address, isoNow()],
  );
  if (marked.length === 0) return false;
  const subject = codeSubject(purpose, address);
  await tx.query("DELETE FROM verification_codes WHERE subject = $1", [subject]);
  await tx.query("DELETE FROM verification_tries WHERE subject = $1", [subject]);
  return true;
}

export const isAnothers = (error: unknown): boolean =>
  ["users_email_verified_key", "users_mobile_verified_key"].includes(violatedConstraint(error) ?? "");
