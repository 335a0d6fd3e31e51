import type { LoggedIn } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { invalidCredentials } from "./accounts.errors.ts";
import { firstToAnswer } from "./addresses.ts";
import { countLoginTry } from "./login-limits.ts";
import { openAccountSession } from "./open-account-session.ts";
import { assertGateOpen, verifyDummy, verifyPassword } from "./password.ts";

interface Credentials {
  /** Username or email address, in lower case. */
  readonly identifier: string;
  readonly password: string;
}

interface Account {
  id: string;
  /** Null if the account has other ways in only. */
  password_hash: string | null;
}

/**
 * Logs in by username or email address. An unknown account and a wrong password take the same time and fail with the
 * same error; only a caller who knows the password learns that an account is suspended. A login cancels a pending
 * deletion.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED, RATE_LIMITED
 */
export async function login({ identifier, password }: Credentials, device: ClientDevice): Promise<LoggedIn> {
  await assertGateOpen("login");
  const attempt = await countLoginTry(identifier, device.ip);
  const account = await findAccount(identifier);
  const passwordHash = account?.password_hash;
  const right = await (passwordHash
    ? verifyPassword("login", passwordHash, password)
    : verifyDummy("login", password)
  ).catch(async (error: unknown) => {
    await attempt.withdrawn();
    throw error;
  });

  if (!account || !passwordHash || !right) {
    attempt.failed();
    throw invalidCredentials();
  }
  await attempt.succeeded();

  const { accessToken, refreshToken } = await inTransaction((tx) =>
    openAccountSession(tx, account.id, { provider: "password", passwordHash }, device),
  );
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
