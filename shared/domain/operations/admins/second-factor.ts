import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { MfaEnrollment, RecoveryCodes } from "#shared/contracts/views.ts";
import { increased } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import {
  confirmFactor,
  disableFactor,
  enrollFactor,
  type FactorOwners,
} from "#shared/domain/identity/second-factor/second-factor.ts";
import { AdminModel } from "./admin.model.ts";
import { assertOwnPassword } from "./try-password.ts";

export const admins: FactorOwners = {
  model: AdminModel,
  codes: { table: "admin_recovery_codes", owner: "admin_id" },
};

/**
 * Begins the setup of a second factor, which a code confirms. Asks for the password, because with a stolen token alone,
 * a thief could set up their own and lock the administrator out.
 * @throws INVALID_CREDENTIALS, RATE_LIMITED, CONFLICT if there is one
 */
export async function enrollSecondFactor(caller: AdminPrincipal, password: string): Promise<MfaEnrollment> {
  const { adminId: id } = caller;
  const { email } = await assertOwnPassword(caller, password);
  return inTransaction(async (tx) => {
    const setup = await enrollFactor(tx, admins, { id, label: email });
    await tx.audit(caller, { action: "admin.enroll_mfa", target: { type: "admin", id } });
    return { id, ...setup };
  });
}

/** Turns the second factor on. Returns new recovery codes. @throws CODE_INVALID, CONFLICT, RATE_LIMITED */
export const confirmSecondFactor = (caller: AdminPrincipal, code: string): Promise<RecoveryCodes> =>
  inTransaction(async (tx) => {
    const recovery_codes = await confirmFactor(tx, admins, caller.adminId, code);
    await noteChange(tx, caller, "admin.enable_mfa");
    return { id: caller.adminId, recovery_codes };
  });

/** Turns the second factor off. @throws CODE_INVALID, RATE_LIMITED */
export const disableSecondFactor = (caller: AdminPrincipal, code: string): Promise<void> =>
  inTransaction(async (tx) => {
    await disableFactor(tx, admins, caller.adminId, code);
    await noteChange(tx, caller, "admin.disable_mfa");
  });

async function noteChange(tx: Tx, caller: AdminPrincipal, action: string): Promise<void> {
  const { adminId: id } = caller;
  await AdminModel.change(tx, { id }, { version: increased("version") });
  await tx.audit(caller, { action, target: { type: "admin", id } });
}
