import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { accessUser } from "#shared/domain/identity/relations/relations.policy.ts";
import { assertNoGuest } from "#shared/domain/identity/sign-in/guest-may.ts";
import { notYourself, tooManyStaff } from "./agencies.errors.ts";
import { accessAgency } from "./agencies.policy.ts";

/** People on the staff of an agency, beside its owner. */
const staffMax = 100;

/**
 * Adds a user to the staff of the caller's agency; once is enough.
 * @throws NOT_FOUND, BLOCKED, FORBIDDEN (staff themselves), VALIDATION_ERROR (the owner), GUEST_NOT_ALLOWED, CONFLICT
 */
export const addStaff = (caller: UserPrincipal, agencyId: string, userId: string): Promise<void> =>
  inTransaction(async (tx) => {
    await accessAgency(caller.userId, agencyId, "owner");
    if (userId === caller.userId) throw notYourself();
    await accessUser(tx, caller.userId, userId);
    await assertNoGuest(userId);
    const [staff] = await tx.query<{ count: number }>("SELECT count(*) FROM agency_staff WHERE agency_id = $1", [
      agencyId,
    ]);
    if (staff!.count >= staffMax) throw tooManyStaff(staffMax);
    await tx.query("INSERT INTO agency_staff (agency_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", [
      agencyId,
      userId,
    ]);
  });

/** Takes a user from the staff: the owner anyone, others themselves. @throws NOT_FOUND, FORBIDDEN */
export const removeStaff = (caller: UserPrincipal, agencyId: string, userId: string): Promise<void> =>
  inTransaction(async (tx) => {
    await accessAgency(caller.userId, agencyId, userId === caller.userId ? "staff" : "owner");
    await tx.query("DELETE FROM agency_staff WHERE agency_id = $1 AND user_id = $2", [agencyId, userId]);
  });
