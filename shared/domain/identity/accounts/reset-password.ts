import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { revokeSessionsOf } from "#shared/domain/identity/sessions/revoke-sessions.ts";
import { isoNow } from "#shared/kernel/clock.ts";
import { invalidFields } from "#shared/kernel/domain-error.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { codeInvalid } from "./accounts.errors.ts";
import { forgetLoginTries } from "./login-limits.ts";
import { hashPassword } from "./password.ts";
import { passwordProblem } from "./password-policy.ts";
import { hashResetToken } from "./password-reset.ts";

/**
 * Sets a new password by a reset token, which is valid once; the account's other tokens become invalid too. Ends all
 * sessions and closes their connections. A rejected password leaves the token valid. Clears the login failures from
 * `ip`.
 * @throws CODE_INVALID (unknown, used or expired token), VALIDATION_ERROR (a common password), RATE_LIMITED when too
 *   many passwords are being hashed
 */
export async function resetPassword(token: string, password: string, ip: string): Promise<void> {
  const tokenHash = hashResetToken(token);
  const owner = await queryOne<{ username: string; email: string }>(
    `SELECT u.username, u.email FROM password_resets r JOIN users u ON u.id = r.user_id AND u.status <> 'deleted'
     WHERE r.token_hash = $1 AND r.expires_at > $2`,
    [tokenHash, isoNow()],
  );
  if (!owner) throw codeInvalid();

  const problem = passwordProblem(password, owner);
  if (problem) throw invalidFields([{ field: "password", text: problem }]);
  const passwordHash = await hashPassword(password);

  await inTransaction(async (tx) => {
    const [used] = await tx.query<{ user_id: string }>(
      "DELETE FROM password_resets WHERE token_hash = $1 AND expires_at > $2 RETURNING user_id",
      [tokenHash, isoNow()],
    );
    if (!used) throw codeInvalid();

    const changed = await tx.query(
      "UPDATE users SET password_hash = $2 WHERE id = $1 AND status <> 'deleted' RETURNING 1",
      [used.user_id, passwordHash],
    );
    if (changed.length === 0) throw codeInvalid();

    await tx.query("DELETE FROM password_resets WHERE user_id = $1", [used.user_id]);
    await revokeSessionsOf(tx, used.user_id, "password reset");
    await enqueueAccountMail(tx, used.user_id, "password_changed");
  });
  await forgetLoginTries([owner.username, owner.email], ip);
}
