import { superAdminRole } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { recordControl } from "./admin-controls.ts";
import { endAdminSessionsOf } from "./admin-sessions.ts";
import { assertAdminPassword } from "./change-admin-password.ts";
import { assertHolds, findRole } from "./manage-roles.ts";
import { managedAdmins } from "./managed-admins.ts";

export interface NewAdmin {
  readonly email: string;
  readonly full_name: string;
  readonly password: string;
  readonly role_id: string;
}

/** What an administrator can change of another one. */
export interface AdminChanges {
  readonly full_name?: string;
  readonly role_id?: string;
  readonly status?: "active" | "suspended";
  readonly password?: string;
  /** False removes the second factor, such as that of a lost phone. */
  readonly mfa_enabled?: false;
}

type Administrator = ManagedRecord & { readonly email: string; readonly role_id: string };

/**
 * Creates an administrator.
 * @throws VALIDATION_ERROR (common password, unknown role), FORBIDDEN for a role that allows more than the caller's,
 *   CONFLICT if the email address is taken
 */
export async function createAdmin(caller: AdminPrincipal, { password, ...input }: NewAdmin): Promise<ManagedRecord> {
  assertAdminPassword(password, input.email);
  const password_hash = await hashPassword(password, "admin");
  return createManaged(caller, managedAdmins, { ...input, status: "active", password_hash }, async (tx, id) => {
    await assertHolds(tx, caller, async () => (await givenRole(input.role_id)).permissions);
    await recordControl(tx, caller, id);
  });
}

/**
 * Changes an administrator. A suspension and a new password end their sessions. The last active super administrator
 * stays one, and no one changes their own role or status.
 * @throws NOT_FOUND, FORBIDDEN if the account, or its new role, has permissions that the caller lacks; CONFLICT,
 *   VALIDATION_ERROR
 */
export async function updateAdmin(
  caller: AdminPrincipal,
  id: string,
  changes: AdminChanges,
  version?: number,
): Promise<ManagedRecord> {
  const { password, mfa_enabled, ...plain } = changes;
  if (id === caller.adminId && (plain.role_id !== undefined || plain.status !== undefined))
    throw new DomainError("FORBIDDEN", "You can't change your own role or status.");
  if (id === caller.adminId && (password !== undefined || mfa_enabled === false))
    throw new DomainError("FORBIDDEN", "Change your own account under `/me`.");
  if (password !== undefined) assertAdminPassword(password, (await findAdmin(id)).email);

  const columns = {
    ...plain,
    ...(password !== undefined && { password_hash: await hashPassword(password, "admin") }),
    ...(mfa_enabled === false && { totp_secret: null, mfa_enabled_at: null }),
  };
  return updateManaged(caller, managedAdmins, id, columns, {
    version,
    within: async (tx) => {
      await assertHolds(tx, caller, async () => [
        ...(await findRole((await findAdmin(id)).role_id)).permissions,
        ...(plain.role_id === undefined ? [] : (await givenRole(plain.role_id)).permissions),
      ]);
      if (plain.role_id !== undefined || plain.status === "suspended") await assertNotLast(tx, id);
      if (plain.status === "suspended" || password !== undefined) await endAdminSessionsOf(tx, id);
      if (plain.role_id !== undefined || password !== undefined) await recordControl(tx, caller, id);
      if (mfa_enabled === false) await tx.query("DELETE FROM admin_recovery_codes WHERE admin_id = $1", [id]);
      return password === undefined ? {} : { password };
    },
  });
}

const findAdmin = async (id: string) => (await getManaged(managedAdmins, id)) as Administrator;

/** Returns the role that an administrator is to get. @throws VALIDATION_ERROR if there is none */
async function givenRole(roleId: string) {
  try {
    return await findRole(roleId);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== "NOT_FOUND") throw error;
    throw invalidFields([{ field: "role_id", text: "{{field}} doesn't exist" }]);
  }
}

/** Step, under the lock of `assertHolds`. @throws CONFLICT */
async function assertNotLast(tx: Tx, id: string): Promise<void> {
  const [found] = await tx.query<{ is_super: boolean; others: number }>(
    `SELECT coalesce(bool_or(admins.id = $2), false) AS is_super, count(*) FILTER (WHERE admins.id <> $2) AS others
     FROM admins JOIN roles ON roles.id = role_id WHERE roles.name = $1 AND status = 'active'`,
    [superAdminRole, id],
  );
  if (found!.is_super && found!.others === 0)
    throw new DomainError("CONFLICT", "This is the last active super administrator.");
}
