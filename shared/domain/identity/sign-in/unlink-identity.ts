import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Identity } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { listIdentities } from "./identities.ts";

/**
 * Unlinks a way in from the caller's account. Of a password, the hash is deleted; of a phone, the number. Sessions that
 * it opened go on.
 * @throws NOT_FOUND, LAST_IDENTITY
 */
export async function unlinkIdentity({ userId }: UserPrincipal, provider: string): Promise<Identity[]> {
  await inTransaction(async (tx) => {
    // Of concurrent calls, the second sees what the first has left.
    await tx.query("SELECT 1 FROM users WHERE id = $1 FOR NO KEY UPDATE", [userId]);
    const linked = await tx.query<{ provider: string }>("SELECT provider FROM identities WHERE user_id = $1", [userId]);
    if (!linked.some((identity) => identity.provider === provider)) throw new DomainError("NOT_FOUND");
    if (linked.length === 1) throw new DomainError("LAST_IDENTITY");
    await removeIdentity(tx, userId, provider);
  });
  return listIdentities(userId);
}

/** Step: removes a way in. */
export async function removeIdentity(tx: Tx, userId: string, provider: string): Promise<void> {
  if (provider === "password") await tx.query("UPDATE users SET password_hash = NULL WHERE id = $1", [userId]);
  else if (provider === "phone")
    await tx.query("UPDATE users SET mobile = NULL, mobile_verified_at = NULL WHERE id = $1", [userId]);
  else await tx.query("DELETE FROM identities WHERE user_id = $1 AND provider = $2", [userId, provider]);
}
