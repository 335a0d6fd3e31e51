import { type Permission, superAdminRole } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { getManaged } from "#shared/domain/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/managed/managed-resource.ts";
import { createManaged, updateManaged } from "#shared/domain/managed/write-managed.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { allowedBy } from "./admin-access.ts";
import { managedRoles } from "./managed-admins.ts";

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** Returns a role with what it allows. @throws NOT_FOUND */
export async function findRole(id: string): Promise<Role & { readonly version: number }> {
  const { name, permissions, version } = (await getManaged(managedRoles, id)) as ManagedRecord & {
    name: string;
    permissions: string[];
  };
  return { id, name, version, permissions: allowedBy(name, permissions) };
}

/**
 * Asserts that an administrator has all of these permissions: none can give, or take away, what they lack.
 * @throws FORBIDDEN
 */
export function assertHolds(caller: AdminPrincipal, permissions: readonly Permission[]): void {
  const lacking = permissions.filter((permission) => !caller.permissions.includes(permission));
  if (lacking.length > 0)
    throw new DomainError("FORBIDDEN", `Your role doesn't have these permissions itself: ${lacking.join(", ")}.`);
}

/** Creates a role. @throws FORBIDDEN for permissions that the caller lacks, CONFLICT if the name is taken */
export async function createRole(
  caller: AdminPrincipal,
  { name, permissions }: { readonly name: string; readonly permissions: readonly Permission[] },
): Promise<ManagedRecord> {
  assertHolds(caller, permissions);
  return createManaged(caller, managedRoles, { name, permissions });
}

/**
 * Replaces the permissions of a role.
 * @throws NOT_FOUND, FORBIDDEN for `super_admin`, the caller's own role, and permissions that the caller lacks; CONFLICT
 *   if the role has changed since `version`
 */
export async function setRolePermissions(
  caller: AdminPrincipal,
  roleId: string,
  permissions: readonly Permission[],
  version?: number,
): Promise<ManagedRecord> {
  const role = await findRole(roleId);
  if (role.name === superAdminRole) throw new DomainError("FORBIDDEN", `The role ${superAdminRole} can't be changed.`);
  if (role.name === caller.role) throw new DomainError("FORBIDDEN", "You can't change your own role.");
  assertHolds(caller, [...role.permissions, ...permissions]);

  // The version that was checked: what another administrator has added meanwhile was not.
  return updateManaged(caller, managedRoles, roleId, { permissions }, { version: version ?? role.version });
}
