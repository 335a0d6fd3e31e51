import type { LoggedIn } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import type { ClientDevice } from "#shared/domain/identity/sessions/open-session.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { invalidCredentials } from "./accounts.errors.ts";
import { firstToAnswer } from "./addresses.ts";
import { countLoginTry } from "./login-limits.ts";
import { openAccountSession } from "./open-account-session.ts";
import { assertGateOpen, verifyDummy, verifyPassword } from "./password.ts";

interface Credentials {
  /** Username or email address, in lower case. */
  readonly identifier: string;
  readonly password: string;
  /** A code of the second factor. */
  readonly code?: string;
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
 * @throws INVALID_CREDENTIALS, MFA_REQUIRED after the right password, ACCOUNT_SUSPENDED, RATE_LIMITED
 */
export async function login({ identifier, password, code }: Credentials, device: ClientDevice): Promise<LoggedIn> {
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
  const { accessToken, refreshToken } = await inTransaction((tx) =>
    openAccountSession(tx, account.id, { provider: "password", passwordHash, code }, device),
  ).catch(async (error: unknown) => {
    // Only a whole login clears earlier failures: else, a password that is known would allow guessing of codes.
    if (error instanceof DomainError && lacksProof.has(error.code)) attempt.failed();
    else await attempt.withdrawn();
    throw error;
  });
  await attempt.succeeded();
  return { user: await getMe(account.id), accessToken, refreshToken };
}

const lacksProof: ReadonlySet<string> = new Set(["INVALID_CREDENTIALS", "MFA_REQUIRED"]);

/** A username has no `@`; an email address has one, and maybe several accounts that claim it. */
function findAccount(identifier: string): Promise<Account | undefined> {
  const isEmail = identifier.includes("@");
  return queryOne<Account>(
    `SELECT id, password_hash FROM users WHERE ${isEmail ? "email" : "username"} = $1 AND status <> 'deleted'
     ORDER BY ${firstToAnswer("email")} LIMIT 1`,
    [identifier],
  );
}
