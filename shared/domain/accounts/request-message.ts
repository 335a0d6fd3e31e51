import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { type AccountMail, askForMail } from "./account-mail.ts";
import { countMessage } from "./message-limits.ts";

/**
 * Asks for a mail with a link to choose a new password. What happens, and how long it takes, is the same for an address
 * (in lower case) that no account has.
 * @throws RATE_LIMITED when too much was asked for this address
 */
export async function requestPasswordReset(email: string): Promise<void> {
  await countMessage("reset_password", email);
  const owner = await queryOne<{ id: string }>("SELECT id FROM users WHERE email = $1 AND status <> 'deleted'", [
    email,
  ]);
  await ask(owner, "reset_password");
}

/**
 * Asks for a new code for an e-mail address (in lower case) or a number. What happens, and how long it takes, is the same
 * when there is no account, or when it needs no code.
 * @throws RATE_LIMITED when too much was asked for this address
 */
export async function requestVerification(target: { email: string } | { mobile: string }): Promise<void> {
  if ("email" in target) {
    await countMessage("verify_email", target.email);
    const owner = await queryOne<{ id: string }>(
      "SELECT id FROM users WHERE email = $1 AND email_verified_at IS NULL AND status <> 'deleted'",
      [target.email],
    );
    return ask(owner, "verify_email");
  }
  await countMessage("verify_mobile", target.mobile);
  const owner = await queryOne<{ id: string }>(
    "SELECT id FROM users WHERE mobile = $1 AND mobile_verified_at IS NULL AND status <> 'deleted'",
    [target.mobile],
  );
  return ask(owner, "verify_mobile");
}

const ask = (owner: { id: string } | undefined, about: AccountMail): Promise<void> =>
  inTransaction((tx) => askForMail(tx, owner?.id ?? null, about));
