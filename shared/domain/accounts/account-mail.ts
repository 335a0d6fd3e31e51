import type { Me } from "#shared/contracts/views.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type Recipient, sendMail, sendSms } from "#shared/domain/mail/send.ts";
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

type AccountRow = Pick<Me, "email" | "mobile" | "email_verified" | "mobile_verified"> & {
  deletion_due_at: string | null;
};

/**
 * Sends a message about an account; handles `accountMailJob`. A retry makes a new code or link: only the newest code is
 * valid, but every link that has arrived is.
 * @throws Error when the message was not accepted
 */
export async function sendAccountMail(userId: string | null, about: AccountMail): Promise<void> {
  const account = userId === null ? undefined : await loadAccount(userId);
  if (userId === null || !account) return;
  const to: Recipient = { userId, address: account.email };
  switch (about) {
    case "verify_email":
      if (account.email_verified) return;
      return sendMail(to, "verify-email", await newCode(to, about));
    case "verify_mobile": {
      if (account.mobile === null || account.mobile_verified) return;
      const phone: Recipient = { userId, address: account.mobile };
      return sendSms(phone, "verify-mobile", await newCode(phone, about));
    }
    case "reset_password": {
      const token = await inTransaction((tx) => issueReset(tx, userId));
      return sendMail(to, "reset-password", { link: resetLink(token), minutes: String(resetMinutes) });
    }
    case "password_changed":
      return sendMail(to, "password-changed", {});
    case "deletion_requested":
      if (!account.deletion_due_at) return;
      return sendMail(to, "deletion-requested", { date: account.deletion_due_at.slice(0, 10) });
    case "deletion_cancelled":
      return sendMail(to, "deletion-cancelled", {});
  }
}

function loadAccount(userId: string): Promise<AccountRow | undefined> {
  return queryOne<AccountRow>(
    `SELECT email, mobile, email_verified_at IS NOT NULL AS email_verified,
       mobile_verified_at IS NOT NULL AS mobile_verified, deletion_due_at
     FROM users WHERE id = $1 AND status <> 'deleted'`,
    [userId],
  );
}

async function newCode(
  { userId, address }: Recipient,
  purpose: CodePurpose,
): Promise<{ code: string; minutes: string }> {
  const code = await inTransaction((tx) => issueCode(tx, userId, purpose, address));
  return { code, minutes: String(codeMinutes) };
}
