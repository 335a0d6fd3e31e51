import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { AddressKind } from "./addresses.ts";
import { claimAddress, isAnothers } from "./verify-address.ts";

interface Addresses {
  readonly email: string | null;
  readonly mobile: string | null;
  readonly email_verified: boolean;
  readonly mobile_verified: boolean;
}

/**
 * Verifies a user's email address or mobile number without a code, by the same rules: the address is that account's
 * alone from then on. It earns no signup bonus, because nothing proves that the user receives messages there.
 * @throws NOT_FOUND, CONFLICT if there is no such address or it is verified already, EMAIL_TAKEN, MOBILE_TAKEN
 */
export async function verifyByHand(principal: Principal, userId: string, kind: AddressKind): Promise<void> {
  await inTransaction(async (tx) => {
    const [user] = await tx.query<Addresses>(
      `SELECT email, mobile, email_verified_at IS NOT NULL AS email_verified,
         mobile_verified_at IS NOT NULL AS mobile_verified
       FROM users WHERE id = $1 AND status <> 'deleted' FOR UPDATE`,
      [userId],
    );
    if (!user) throw new DomainError("NOT_FOUND");
    const address = user[kind];
    if (address === null) throw new DomainError("CONFLICT", "This user has no mobile number.");
    if (user[`${kind}_verified`]) throw new DomainError("CONFLICT", "This address is verified already.");

    await claimAddress(tx, kind === "email" ? "verify_email" : "verify_mobile", userId, address);
    await tx.audit(principal, {
      action: "user.verify",
      target: { type: "user", id: userId },
      before: { [`${kind}_verified`]: false },
      after: { [`${kind}_verified`]: true },
    });
  }).catch((error: unknown) => {
    throw isAnothers(error) ? new DomainError(kind === "email" ? "EMAIL_TAKEN" : "MOBILE_TAKEN") : error;
  });
}
