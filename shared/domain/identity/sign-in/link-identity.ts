import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Identity } from "#shared/contracts/views.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction, type Tx, violatedConstraint } from "#shared/db/transaction.ts";
import { accountSteps } from "#shared/domain/identity/accounts/account-steps.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { passwordProblem } from "#shared/domain/identity/accounts/password-policy.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { addIdentity, findIdentity, listIdentities, lockIdentity } from "./identities.ts";
import { phoneWay } from "./phone-code.ts";
import type { Way } from "./sign-in.ts";
import { type IdToken, wayOf } from "./sign-in-with-token.ts";
import { verifyIdToken } from "./verify-id-token.ts";

/** What proves that the caller may link a way in: a token with its nonce, a number with its code, or a new password. */
export interface LinkProof extends Partial<IdToken> {
  readonly mobile?: string;
  readonly code?: string;
  readonly password?: string;
}

/**
 * Links a way in to the caller's account. A guest thereby becomes a user, in the same transaction. Linking again what
 * the account has already changes nothing.
 * @throws IDENTITY_TAKEN when another account has it, CONFLICT when this account has another one of the same provider,
 *   INVALID_CREDENTIALS, CODE_INVALID, NOT_FOUND, VALIDATION_ERROR when the proof isn't of this provider
 */
export async function linkIdentity(
  caller: UserPrincipal,
  provider: string,
  proof: LinkProof,
  ip: string,
): Promise<Identity[]> {
  const { userId } = caller;
  const link = await linkOf(userId, provider, proof, ip);
  await inTransaction(async (tx) => {
    const [user] = await tx.query<{ is_guest: boolean }>(
      "SELECT is_guest FROM users WHERE id = $1 AND status = 'active' FOR NO KEY UPDATE",
      [userId],
    );
    if (!user) throw new DomainError("UNAUTHENTICATED");
    const address = await link(tx);
    if (user.is_guest) await endGuest(tx, userId, ip);
    if (address) await accountSteps().earned(tx, userId, { when: "verified", ip, address });
  }).catch((error: unknown) => {
    throw toLinkError(error);
  });
  return listIdentities(userId);
}

/** Links in a transaction. Returns the address that it has verified, if any. */
type Link = (tx: Tx) => Promise<string | null>;

async function linkOf(userId: string, provider: string, proof: LinkProof, ip: string): Promise<Link> {
  const { id_token, nonce, authorization_code, mobile, code, password } = proof;
  if (provider === "password") return passwordLink(userId, password ?? missing("password"));
  if (provider === "phone") {
    const way = await phoneWay(mobile ?? missing("mobile"), code ?? missing("code"), ip);
    return wayLink(userId, way);
  }
  const verified = await verifyIdToken(provider, id_token ?? missing("id_token"), nonce ?? missing("nonce"));
  return wayLink(userId, wayOf(verified, authorization_code));
}

function missing(field: string): never {
  throw invalidFields([{ field, text: "{{field}} is required" }]);
}

async function passwordLink(userId: string, password: string): Promise<Link> {
  const owner = await User.read({ id: userId }, ["username", "email"]);
  const problem = owner && passwordProblem(password, { username: owner.username, email: owner.email ?? "" });
  if (problem) throw invalidFields([{ field: "password", text: problem }]);
  const passwordHash = await hashPassword(password);
  return async (tx) => {
    const isSet = await User.change(tx, { id: userId, password_hash: null }, { password_hash: passwordHash });
    if (!isSet) throw alreadyLinked();
    return null;
  };
}

const wayLink =
  (userId: string, way: Way): Link =>
  async (tx) => {
    await lockIdentity(tx, way);
    await way.take?.(tx);
    const owner = await findIdentity(way);
    if (owner === userId) return null;
    if (owner !== undefined) throw new DomainError("IDENTITY_TAKEN");
    await addIdentity(tx, userId, way);
    return way.mobile ? setNumber(tx, userId, way.mobile) : claimEmail(tx, userId, way);
  };

async function setNumber(tx: Tx, userId: string, mobile: string): Promise<string> {
  const isSet = await User.change(tx, { id: userId, mobile_verified_at: null }, { mobile, mobile_verified_at: now });
  if (!isSet) throw alreadyLinked();
  return mobile;
}

/**
 * Makes the provider's verified address the account's, if the account has none and no other account has verified it.
 */
async function claimEmail(tx: Tx, userId: string, { email, emailVerified }: Way): Promise<string | null> {
  if (!email || !emailVerified) return null;
  const claimed = await tx.query(
    `UPDATE users SET email = $2, email_verified_at = now()
     WHERE id = $1 AND (email IS NULL OR email = $2) AND email_verified_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM users o WHERE o.email = $2 AND o.email_verified_at IS NOT NULL) RETURNING 1`,
    [userId, email],
  );
  return claimed.length > 0 ? email : null;
}

/** Step: makes a guest a user: the secret no longer logs in. */
async function endGuest(tx: Tx, userId: string, ip: string): Promise<void> {
  await User.change(tx, { id: userId }, { is_guest: false, guest_ended_at: now });
  await tx.query("DELETE FROM identities WHERE user_id = $1 AND provider = 'guest'", [userId]);
  await accountSteps().earned(tx, userId, { when: "registered", ip });
}

const alreadyLinked = () =>
  new DomainError("CONFLICT", "Your account has another login of this kind. Unlink it first.");

const toLinkError = (error: unknown): unknown => {
  const constraint = violatedConstraint(error) ?? "";
  if (constraint === "identities_user_key") return alreadyLinked();
  return constraint === "users_mobile_verified_key" || constraint === "users_email_verified_key"
    ? new DomainError("IDENTITY_TAKEN")
    : error;
};
