import type { Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { OwnRecoveryCodes, SecondFactor, SecondFactorSetup } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import {
  confirmFactor,
  disableFactor,
  enrollFactor,
  type FactorOwners,
  removeFactor,
  takeSecondFactor,
} from "#shared/domain/identity/second-factor/second-factor.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { countLoginTry } from "./login-limits.ts";
import { verifyPassword } from "./password.ts";

export const users: FactorOwners = {
  model: User,
  codes: { table: "user_recovery_codes", owner: "user_id" },
};

/**
 * Step: uses up the code of a login by password.
 * @throws MFA_REQUIRED without one, INVALID_CREDENTIALS, RATE_LIMITED
 */
export async function assertSecondFactor(tx: Tx, userId: string, code: string | undefined): Promise<void> {
  if (code === undefined) throw new DomainError("MFA_REQUIRED");
  if (!(await takeSecondFactor(tx, users, userId, code)))
    throw new DomainError("INVALID_CREDENTIALS", "The code is incorrect, expired, or already used.");
}

/** Returns whether the caller has a second factor, and how many recovery codes are left. */
export const getSecondFactor = async ({ userId }: UserPrincipal): Promise<SecondFactor> =>
  (await queryOne<SecondFactor>(
    `SELECT totp_confirmed_at IS NOT NULL AS enabled,
       (SELECT count(*)::int FROM user_recovery_codes WHERE user_id = users.id) AS recovery_codes_left
     FROM users WHERE id = $1`,
    [userId],
  ))!;

/**
 * Begins the setup of a second factor, which a code confirms. Asks for the password, because with a stolen token alone,
 * a thief could set up their own and lock the owner out.
 * @throws INVALID_CREDENTIALS, RATE_LIMITED, CONFLICT without a password, or if there is a second factor
 */
export async function enrollOwnFactor(
  { userId }: UserPrincipal,
  password: string,
  ip: string,
): Promise<SecondFactorSetup> {
  const label = await assertOwnPassword(userId, password, ip);
  return inTransaction((tx) => enrollFactor(tx, users, { id: userId, label }));
}

/** Turns the caller's second factor on. Returns new recovery codes. @throws CODE_INVALID, CONFLICT, RATE_LIMITED */
export const confirmOwnFactor = ({ userId }: UserPrincipal, code: string): Promise<OwnRecoveryCodes> =>
  inTransaction(async (tx) => ({ recovery_codes: await confirmFactor(tx, users, userId, code) }));

/** Turns the caller's second factor off. @throws CODE_INVALID, RATE_LIMITED */
export const disableOwnFactor = ({ userId }: UserPrincipal, code: string): Promise<void> =>
  inTransaction((tx) => disableFactor(tx, users, userId, code));

/** Turns a user's second factor off, for an administrator, who says why. @throws NOT_FOUND, CONFLICT without one */
export const removeSecondFactorOf = (principal: Principal, userId: string, reason: string): Promise<void> =>
  inTransaction(async (tx) => {
    const user = await User.lock(tx, { id: userId }, ["mfa_enabled_at"]);
    if (!user) throw new DomainError("NOT_FOUND");
    if (!user.mfa_enabled_at) throw new DomainError("CONFLICT", "This user has no second factor.");
    await removeFactor(tx, users, userId);
    const target = { type: "user", id: userId };
    await tx.audit(principal, { action: "user.remove_second_factor", target, reason });
  });

/** Asserts that this is the caller's password. Counted like a login. Returns the username. */
async function assertOwnPassword(userId: string, plain: string, ip: string): Promise<string> {
  const user = await User.read({ id: userId }, ["username", "password_hash"]);
  if (!user?.password_hash)
    throw new DomainError(
      "CONFLICT",
      "A second factor protects a password, and your account has none. Link one first.",
    );
  const attempt = await countLoginTry(userId, ip);
  const right = await verifyPassword("other", user.password_hash, plain).catch(async (error: unknown) => {
    await attempt.withdrawn();
    throw error;
  });
  if (!right) {
    attempt.failed();
    throw new DomainError("INVALID_CREDENTIALS", "Incorrect current password.");
  }
  await attempt.succeeded();
  return user.username;
}
