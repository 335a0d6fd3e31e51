import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type AccountMail, enqueueAccountMail } from "./account-mail.ts";
import { countMessage } from "./message-limits.ts";

/**
 * Requests a mail with a link to choose a new password. The result and the time it takes are the same for an address
 * (in lower case) without an account.
 * @throws RATE_LIMITED after too many requests for this address
 */
export async function requestPasswordReset(email: string): Promise<void> {
  await countMessage("reset_password", email);
  const owner = await queryOne<{ id: string }>("SELECT id FROM users WHERE email = $1 AND status <> 'deleted'", [
    email,
  ]);
  await ask(owner, "reset_password");
}

/**
 * Requests a new code for an email address (in lower case) or a number. The result and the time it takes are the same
 * without an account, or when the account needs no code.
 * @throws RATE_LIMITED after too many requests for this address
 */
export async function requestVerification(target: { email: string } | { mobile: string }): Promise<void> {
  const column = "email" in target ? "email" : "mobile";
  const address = "email" in target ? target.email : target.mobile;
  await countMessage(`verify_${column}`, address);
  const owner = await queryOne<{ id: string }>(
    `SELECT id FROM users WHERE ${column} = $1 AND ${column}_verified_at IS NULL AND status <> 'deleted'`,
    [address],
  );
  await ask(owner, `verify_${column}`);
}

const ask = (owner: { id: string } | undefined, about: AccountMail): Promise<void> =>
  inTransaction((tx) => enqueueAccountMail(tx, owner?.id ?? null, about));
