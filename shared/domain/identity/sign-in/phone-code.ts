import { randomInt, timingSafeEqual } from "node:crypto";
import type { SignedIn } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { codeInvalid } from "#shared/domain/identity/accounts/accounts.errors.ts";
import { countRequest, maySend } from "#shared/domain/identity/accounts/message-limits.ts";
import { codeExpiry, codeMinutes } from "#shared/domain/identity/accounts/verification-code.ts";
import { countTry } from "#shared/domain/identity/accounts/verify-address.ts";
import { sendSms } from "#shared/domain/identity/mail/send.ts";
import { keyedHash } from "#shared/domain/identity/sessions/keyed-hash.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { countryOfNumber } from "#shared/kernel/phone-number.ts";
import { seal, unseal } from "#shared/kernel/seal.ts";
import type { NewProfile } from "./new-profile.ts";
import { signIn, type Way } from "./sign-in.ts";
import { countTextSent, countTextUsed, mayText, notePriceClass } from "./text-countries.ts";

/** A code for a number. The number is sealed, so that the table of jobs reveals none. */
export const loginCodeJob = defineJob<{ number: string; language: Language | null }>("sms.login-code", {
  retries: 5,
  retryMaxSeconds: 60,
  timeoutSeconds: 60,
});

const sealedFor = "login code";

interface Requester {
  readonly ip: string;
  readonly language?: Language | undefined;
}

/**
 * Requests a code that logs in by a number, in E.164. The result and the time it takes are the same whether or not an
 * account has verified the number.
 * @throws VALIDATION_ERROR when no text messages go to its country, RATE_LIMITED after too many requests
 */
export async function requestLoginCode(mobile: string, { ip, language }: Requester): Promise<void> {
  const country = countryOfNumber(mobile);
  if (!country || !mayText(country))
    throw invalidFields([{ field: "mobile", text: "text messages aren't sent to this country" }]);
  await countRequest({ about: "log_in", address: mobile, ip });
  const number = seal(sealedFor, mobile);
  await inTransaction((tx) => tx.enqueue(loginCodeJob, { number, language: language ?? null }));
}

/**
 * Sends a new code to a number, which replaces the previous one; handles `loginCodeJob`.
 * @throws Error when the message was not accepted
 */
export async function sendLoginCode(sealedNumber: string, language: Language | null): Promise<void> {
  const mobile = unseal(sealedFor, sealedNumber);
  const country = mobile && countryOfNumber(mobile);
  // A limit by the number counts for accounts that don't exist yet, too.
  if (
    !country ||
    !(await maySend("sms", `number ${subjectOf(mobile).toString("base64url")}`)) ||
    !(await countTextSent(country))
  )
    return;
  const code = await inTransaction((tx) => issueLoginCode(tx, mobile));
  const priceClass = await sendSms({ userId: null, address: mobile, ...(language && { language }) }, "log-in", {
    code,
    minutes: String(codeMinutes),
  });
  if (priceClass) await notePriceClass(country, priceClass);
}

const subjectOf = (mobile: string): Buffer => keyedHash("subject", "log_in", mobile);
const hashOf = (mobile: string, code: string): Buffer => keyedHash("code", "log_in", mobile, code);

async function issueLoginCode(tx: Tx, mobile: string): Promise<string> {
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const subject = subjectOf(mobile);
  await tx.query(
    `INSERT INTO login_codes (subject, code_hash, expires_at) VALUES ($1, $2, $3)
     ON CONFLICT (subject) DO UPDATE SET code_hash = EXCLUDED.code_hash, expires_at = EXCLUDED.expires_at`,
    [subject, hashOf(mobile, code), codeExpiry()],
  );
  await tx.query("DELETE FROM verification_tries WHERE subject = $1", [subject]);
  return code;
}

/**
 * Logs in the account that has verified a number, by a code that was sent to it; registers one if none has. The number
 * is then verified.
 * @throws CODE_INVALID, and what `signIn` throws
 */
export async function signInByPhone(
  { mobile, code }: { readonly mobile: string; readonly code: string },
  profile: NewProfile,
  device: ClientDevice,
): Promise<SignedIn> {
  return signIn(await phoneWay(mobile, code, device.ip), profile, device);
}

/** Returns the way in that a number and its code are. @throws CODE_INVALID */
export async function phoneWay(mobile: string, code: string, ip: string): Promise<Way> {
  const subject = subjectOf(mobile);
  const hash = hashOf(mobile, code);
  // A transaction of its own: an error would roll back the count.
  const isRight = await inTransaction(async (tx) => {
    const homes = await tx.query<{ user_id: string; ips: string[] }>(
      `SELECT u.id AS user_id, ARRAY(
         SELECT ip FROM sessions s WHERE s.user_id = u.id AND revoked_at IS NULL AND ip IS NOT NULL
         ORDER BY id DESC LIMIT 50) AS ips
       FROM users u WHERE mobile = $1 AND mobile_verified_at IS NOT NULL`,
      [mobile],
    );
    const mayTry = await countTry(tx, subject, homes, { ip });
    const [live] = await tx.query<{ code_hash: Buffer }>(
      "SELECT code_hash FROM login_codes WHERE subject = $1 AND expires_at > $2",
      [subject, isoNow()],
    );
    return timingSafeEqual(live?.code_hash ?? Buffer.alloc(32), hash) && mayTry;
  });
  if (!isRight) throw codeInvalid();
  return {
    provider: "phone",
    subject: mobile,
    mobile,
    take: async (tx) => {
      const taken = await tx.query("DELETE FROM login_codes WHERE subject = $1 AND code_hash = $2 RETURNING 1", [
        subject,
        hash,
      ]);
      if (taken.length === 0) throw codeInvalid();
      await tx.query("DELETE FROM verification_tries WHERE subject = $1", [subject]);
      await countTextUsed(tx, countryOfNumber(mobile)!);
    },
  };
}
