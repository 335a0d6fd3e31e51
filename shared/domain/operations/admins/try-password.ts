import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { countLoginTry, type LoginTry } from "#shared/domain/identity/accounts/login-limits.ts";
import { verifyDummy, verifyPassword } from "#shared/domain/identity/accounts/password.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { AdminModel } from "./admin.model.ts";

/**
 * Counts a try under `key` and checks the password, in the same time if there is no hash. The caller reports a failure
 * or a success to `attempt`, once. No identifier of a user has a line break, so they are counted apart from
 * administrators.
 * @throws RATE_LIMITED
 */
export async function tryAdminPassword(
  key: string,
  ip: string,
  hash: string | undefined,
  plain: string,
): Promise<{ right: boolean; attempt: LoginTry }> {
  const attempt = await countLoginTry(`administrator\n${key}`, ip);
  try {
    const right = await (hash ? verifyPassword("admin", hash, plain) : verifyDummy("admin", plain));
    return { right, attempt };
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
}

/**
 * Asserts that this is the caller's password, which a stolen token doesn't tell. Counted like a login, so that a thief
 * can't guess it. Returns the account's address and the hash.
 * @throws INVALID_CREDENTIALS, RATE_LIMITED
 */
export async function assertOwnPassword(
  { adminId, ip }: AdminPrincipal,
  plain: string,
): Promise<{ readonly email: string; readonly password_hash: string }> {
  const account = (await AdminModel.read({ id: adminId }, ["email", "password_hash"]))!;
  const { right, attempt } = await tryAdminPassword(adminId, ip, account.password_hash, plain);
  if (!right) {
    attempt.failed();
    throw new DomainError("INVALID_CREDENTIALS", "Incorrect current password.");
  }
  await attempt.succeeded();
  return account;
}
