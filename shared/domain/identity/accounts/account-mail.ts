import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { sendMail, sendSms } from "#shared/domain/identity/mail/send.ts";
import { hasLapsed } from "./addresses.ts";
import { maySend } from "./message-limits.ts";
import { issueReset, resetLink, resetMinutes } from "./password-reset.ts";
import { type CodePurpose, codeMinutes, issueCode } from "./verification-code.ts";

/** What a message to an account's owner is about. */
export type AccountMail =
  | CodePurpose
  | "reset_password"
  | "password_changed"
  | "deletion_requested"
  | "deletion_cancelled";

/**
 * A message about an account. The job holds no address and no code: both are read or made when it is sent, so that the
 * table of jobs reveals nothing. Without a user it does nothing, so that a request for an unknown address costs the
 * same.
 */
export const accountMailJob = defineJob<{ user_id: string | null; about: AccountMail }>("mail.account", {
  retries: 12,
  retryMaxSeconds: 900,
  timeoutSeconds: 60,
});

/** Step: enqueues a message about an account; for null, a job that does nothing. Retried until it is accepted. */
export const enqueueAccountMail = (tx: Tx, userId: string | null, about: AccountMail): Promise<void> =>
  tx.enqueue(accountMailJob, { user_id: userId, about });

interface AccountRow {
  readonly username: string;
  /** Null when another account has verified the address: it is not this one's. */
  readonly email: string | null;
  readonly mobile: string | null;
  readonly email_verified: boolean;
  readonly mobile_verified: boolean;
  readonly deletion_due_at: string | null;
}

/**
 * Sends a message about an account; handles `accountMailJob`. A retry makes a new code or link: only the newest code is
 * valid, but every link that has arrived is. Codes and links that are too many for a day are not sent.
 * @throws Error when the message was not accepted
 */
export async function sendAccountMail(userId: string | null, about: AccountMail): Promise<void> {
  const account = userId === null ? undefined : await loadAccount(userId);
  if (userId === null || !account) return;
  const address = about === "verify_mobile" ? account.mobile : account.email;
  if (address === null || isNeedless(about, account)) return;

  const to = { userId, address };
  const { username } = account;
  switch (about) {
    case "verify_email":
      if (await maySend("mail", userId))
        await sendMail(to, "verify-email", { username, ...(await newCode(to, about)) });
      return;
    case "verify_mobile":
      if (await maySend("sms", userId)) await sendSms(to, "verify-mobile", { username, ...(await newCode(to, about)) });
      return;
    case "reset_password":
      if (await maySend("mail", userId)) {
        const token = await inTransaction((tx) => issueReset(tx, userId));
        await sendMail(to, "reset-password", { username, link: resetLink(token), minutes: String(resetMinutes) });
      }
      return;
    case "password_changed":
      return sendMail(to, "password-changed", {});
    case "deletion_requested":
      return sendMail(to, "deletion-requested", { date: account.deletion_due_at!.slice(0, 10) });
    case "deletion_cancelled":
      return sendMail(to, "deletion-cancelled", {});
  }
}

/** Returns whether the account has changed since the message was requested, so that it says nothing any more. */
function isNeedless(about: AccountMail, account: AccountRow): boolean {
  if (about === "verify_email") return account.email_verified;
  if (about === "verify_mobile") return account.mobile_verified;
  return about === "deletion_requested" && account.deletion_due_at === null;
}

function loadAccount(userId: string): Promise<AccountRow | undefined> {
  return queryOne<AccountRow>(
    `SELECT username, CASE WHEN NOT ${hasLapsed("email")} THEN email END AS email,
       CASE WHEN NOT ${hasLapsed("mobile")} THEN mobile END AS mobile,
       email_verified_at IS NOT NULL AS email_verified, mobile_verified_at IS NOT NULL AS mobile_verified,
       deletion_due_at
     FROM users u WHERE id = $1 AND status <> 'deleted'`,
    [userId],
  );
}

async function newCode(
  { userId, address }: { readonly userId: string; readonly address: string },
  purpose: CodePurpose,
): Promise<{ code: string; minutes: string }> {
  const code = await inTransaction((tx) => issueCode(tx, userId, purpose, address));
  return { code, minutes: String(codeMinutes) };
}
