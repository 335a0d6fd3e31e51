import type { SignedIn } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { checkContents, isAllowed } from "#shared/domain/base/filter/check-content.ts";
import { accountSteps } from "#shared/domain/identity/accounts/account-steps.ts";
import { toTakenError } from "#shared/domain/identity/accounts/accounts.errors.ts";
import { lockAddresses } from "#shared/domain/identity/accounts/addresses.ts";
import { createAccount } from "#shared/domain/identity/accounts/create-account.ts";
import { openAccountSession } from "#shared/domain/identity/accounts/open-account-session.ts";
import type { ClientDevice, OpenedSession } from "#shared/domain/identity/sessions/open-session.ts";
import { getMe } from "#shared/domain/identity/users/profile.queries.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { countryOfNumber } from "#shared/kernel/phone-number.ts";
import { addIdentity, findIdentity, lockIdentity } from "./identities.ts";
import { type NewProfile, problemsOf, usernameFor } from "./new-profile.ts";

/** How a person has proved who they are, and what is known of them. */
export interface Way {
  readonly provider: string;
  readonly subject: string;
  /** What the provider said of their address. In lower case. */
  readonly email?: string | null;
  readonly emailVerified?: boolean;
  /** The number that a code has proved. */
  readonly mobile?: string | null;
  readonly guest?: true;
  /** The provider's name for the person. */
  readonly name?: string | null;
  /** Step: takes the proof, which holds once. Called first. @throws INVALID_CREDENTIALS, CODE_INVALID */
  readonly take?: (tx: Tx) => Promise<void>;
}

/**
 * Logs in the account that has this identity; if none has, registers one. An identity never joins an existing account
 * by an equal email address: only a token of that account can link it. A login cancels a pending deletion.
 * @throws INVALID_CREDENTIALS, ACCOUNT_SUSPENDED, VALIDATION_ERROR (reserved name, too young), USERNAME_TAKEN
 */
export async function signIn(way: Way, profile: NewProfile, device: ClientDevice): Promise<SignedIn> {
  const { userId, session, isNew } = await inTransaction(async (tx) => {
    await lockIdentity(tx, way);
    await way.take?.(tx);
    const known = await findIdentity(way);
    if (known) return { userId: known, isNew: false, session: await openAccountSession(tx, known, way, device) };

    const problems = problemsOf(profile, way.mobile && countryOfNumber(way.mobile));
    if (problems.length > 0) throw invalidFields(problems);
    const id = await register(tx, way, profile, device);
    return { userId: id, isNew: true, session: await openAccountSession(tx, id, way, device) };
  }).catch((error: unknown) => {
    throw toTakenError(error);
  });
  return signedIn(userId, session, isNew);
}

/** Returns the answer of a way in. */
export async function signedIn(
  userId: string,
  { accessToken, refreshToken }: OpenedSession,
  isNew: boolean,
): Promise<SignedIn> {
  const user = await getMe(userId);
  return { user, accessToken, refreshToken, is_new: isNew, missing: await missingOf(userId, user.date_of_birth) };
}

/** Returns what the profile of an account still needs. */
async function missingOf(userId: string, born: string | null): Promise<SignedIn["missing"]> {
  const user = await User.read({ id: userId }, ["username_made"]);
  return [...(user?.username_made ? ["username" as const] : []), ...(born === null ? ["date_of_birth" as const] : [])];
}

/** Step: registers an account with this way in. Returns its ID. */
async function register(tx: Tx, way: Way, profile: NewProfile, device: ClientDevice): Promise<string> {
  checkContents(profile, { full_name: "name", username: "name" });
  const { email, mobile } = await provenAddresses(tx, way);
  const made = profile.username === undefined;
  const username = profile.username ?? (await usernameFor(tx));
  if (!made && (await isTaken(tx, username))) throw new DomainError("USERNAME_TAKEN");
  const id = await createAccount(tx, {
    username,
    full_name: profile.full_name ?? (way.name && isAllowed(way.name) ? way.name : ""),
    email,
    mobile,
    date_of_birth: profile.date_of_birth ?? null,
    passwordHash: null,
    ...(profile.language && { language: profile.language }),
    ...(made && { usernameMade: true }),
    ...(way.guest && { guest: true }),
  });
  const address = email ?? mobile;
  if (address !== null)
    await tx.query(
      `UPDATE users SET email_verified_at = CASE WHEN email IS NOT NULL THEN now() END,
         mobile_verified_at = CASE WHEN mobile IS NOT NULL THEN now() END WHERE id = $1`,
      [id],
    );
  await addIdentity(tx, id, way);
  if (!way.guest) await accountSteps().earned(tx, id, { when: "registered", ip: device.ip });
  if (address !== null) await accountSteps().earned(tx, id, { when: "verified", ip: device.ip, address });
  return id;
}

const isTaken = async (tx: Tx, username: string): Promise<boolean> =>
  (await tx.query("SELECT 1 FROM users WHERE username = $1", [username])).length > 0;

/**
 * Returns the addresses that are the new account's, and verified: a number that a code has proved, and the provider's
 * verified address unless another account has verified it. Nothing else of what a provider says becomes an address.
 */
async function provenAddresses(
  tx: Tx,
  { email = null, emailVerified = false, mobile = null }: Way,
): Promise<{ email: string | null; mobile: string | null }> {
  const claimed = emailVerified ? email : null;
  await lockAddresses(tx, { email: claimed, mobile });
  const taken = await tx.query("SELECT 1 FROM users WHERE email = $1 AND email_verified_at IS NOT NULL", [claimed]);
  return { email: taken.length > 0 ? null : claimed, mobile };
}
