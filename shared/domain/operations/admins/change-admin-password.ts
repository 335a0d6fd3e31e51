import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { increased, now } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { passwordProblem } from "#shared/domain/identity/accounts/password-policy.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { AdminModel } from "./admin.model.ts";
import { endAdminSessionsOf } from "./admin-sessions.ts";
import { assertOwnPassword } from "./try-password.ts";

/** @throws VALIDATION_ERROR for a password that is too common */
export function assertAdminPassword(password: string, email: string): void {
  const problem = passwordProblem(password, { username: email, email });
  if (problem) throw invalidFields([{ field: "password", text: problem }]);
}

/**
 * Changes the caller's password and ends their other sessions.
 * @throws INVALID_CREDENTIALS for a wrong current password, VALIDATION_ERROR, RATE_LIMITED
 */
export async function changeAdminPassword(
  caller: AdminPrincipal,
  { current_password, password }: { readonly current_password: string; readonly password: string },
): Promise<void> {
  const { adminId, sessionId } = caller;
  const { email, password_hash } = await assertOwnPassword(caller, current_password);
  assertAdminPassword(password, email);

  const newHash = await hashPassword(password, "admin");
  await inTransaction(async (tx) => {
    const values = { password_hash: newHash, version: increased("version"), updated_at: now };
    if (!(await AdminModel.change(tx, { id: adminId, password_hash }, values))) throw new DomainError("CONFLICT");
    await endAdminSessionsOf(tx, adminId, sessionId);
    await tx.audit(caller, { action: "admin.change_password", target: { type: "admin", id: adminId } });
  });
}
