import { countLoginTry, type LoginTry } from "#shared/domain/accounts/login-limits.ts";
import { verifyDummy, verifyPassword } from "#shared/domain/accounts/password.ts";

/**
 * Counts a try under `key` and checks the password, in the same time if there is no hash. The caller reports a failure or
 * a success to `attempt`, once. No identifier of a user has a line break, so they are counted apart from administrators.
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
