import type { LoggedIn } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { type Device, type OpenedSession, openSession } from "#shared/domain/identity/sessions/open-session.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { enqueueAccountMail } from "./account-mail.ts";
import { invalidCredentials } from "./accounts.errors.ts";
import { firstToAnswer } from "./addresses.ts";
import { countLoginTry } from "./login-limits.ts";
import { assertGateOpen, verifyDummy, verifyPassword } from "./password.ts";

interface Credentials {
  /** Username or email address, in lower case. */
  readonly identifier: string;
  readonly password: string;
}

interface Account {
  id: string;
  password_hash: string;
}

/**
 * Logs in by username or email address. An unknown account and a wrong password take the same time and fail with the
 * same error; only a caller who knows the password learns that an account is suspended. A login cancels a pending
 * deletion.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED, RATE_LIMITED
 */
export async function login({ identifier, password }: Credentials, device: Device): Promise<LoggedIn> {
  await assertGateOpen("login");
  const attempt = await countLoginTry(identifier, device.ip);
  const account = await findAccount(identifier);
  const right = await (account
    ? verifyPassword("login", account.password_hash, password)
    : verifyDummy("login", password)
  ).catch(async (error: unknown) => {
    await attempt.withdrawn();
    throw error;
  });

  if (!account || !right) {
    attempt.failed();
    throw invalidCredentials();
  }
  await attempt.succeeded();

  const { accessToken, refreshToken } = await inTransaction((tx) => openSessionOf(tx, account, device));
  return { user: await getMe(account.id), accessToken, refreshToken };
}

/** A username has no `@`; an email address has one, and maybe several accounts that claim it. */
function findAccount(identifier: string): Promise<Account | undefined> {
  const isEmail = identifier.includes("@");
  return queryOne<Account>(
    `SELECT id, password_hash FROM users WHERE ${isEmail ? "email" : "username"} = $1 AND status <> 'deleted'
     ORDER BY ${firstToAnswer("email")} LIMIT 1`,
    [identifier],
  );
}

/**
 * The lock on the user's row orders this login before or after a suspension, a new password or a deletion: before, they
 * revoke its session; after, it fails, or cancels the deletion.
 */
async function openSessionOf(tx: Tx, account: Account, device: Device): Promise<OpenedSession> {
  const [user] = await tx.query<{ status: string }>(
    "SELECT status FROM users WHERE id = $1 AND password_hash = $2 AND status <> 'deleted' FOR NO KEY UPDATE",
    [account.id, account.password_hash],
  );
  if (!user) throw invalidCredentials();
  if (user.status === "suspended") throw new DomainError("ACCOUNT_SUSPENDED");
  if (user.status === "deletion_pending") await cancelDeletion(tx, account.id);
  return openSession(tx, account.id, device);
}

async function cancelDeletion(tx: Tx, userId: string): Promise<void> {
  await tx.query("UPDATE users SET status = 'active', deletion_due_at = NULL WHERE id = $1", [userId]);
  await enqueueAccountMail(tx, userId, "deletion_cancelled");
}
