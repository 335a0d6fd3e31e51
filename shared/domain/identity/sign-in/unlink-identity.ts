import type { Principal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { Identity } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { listIdentities } from "./identities.ts";
import { deleteIdentities } from "./provider-tokens.ts";

/**
 * Unlinks a way in from the caller's account. Of a password, the hash is deleted; of a phone, the number. Sessions that
 * it opened go on.
 * @throws NOT_FOUND, LAST_IDENTITY
 */
export async function unlinkIdentity({ userId }: UserPrincipal, provider: string): Promise<Identity[]> {
  await inTransaction((tx) => unlink(tx, userId, provider));
  return listIdentities(userId);
}

/** The same for an administrator, who says why. @throws NOT_FOUND, LAST_IDENTITY */
export const unlinkIdentityOf = (
  principal: Principal,
  userId: string,
  { provider, reason }: { readonly provider: string; readonly reason: string },
): Promise<void> =>
  inTransaction(async (tx) => {
    await unlink(tx, userId, provider);
    const target = { type: "user", id: userId };
    await tx.audit(principal, { action: "user.unlink_identity", target, before: { provider }, reason });
  });

async function unlink(tx: Tx, userId: string, provider: string): Promise<void> {
  // Of concurrent calls, the second sees what the first has left.
  await User.lock(tx, { id: userId }, ["id"]);
  const linked = await tx.query<{ provider: string }>("SELECT provider FROM identities WHERE user_id = $1", [userId]);
  if (!linked.some((identity) => identity.provider === provider)) throw new DomainError("NOT_FOUND");
  if (linked.length === 1) throw new DomainError("LAST_IDENTITY");
  await removeIdentity(tx, userId, provider);
}

/** Step: removes a way in. */
export async function removeIdentity(tx: Tx, userId: string, provider: string): Promise<void> {
  if (provider === "password") await User.change(tx, { id: userId }, { password_hash: null });
  else if (provider === "phone") await User.change(tx, { id: userId }, { mobile: null, mobile_verified_at: null });
  else await deleteIdentities(tx, userId, provider);
}
