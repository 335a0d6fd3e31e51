import { type Permission, superAdminRole } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged, updateManaged } from "#shared/domain/base/managed/write-managed.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { allowedBy } from "./admin-access.ts";
import { managedRoles } from "./managed-admins.ts";

export interface Role {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
}

/** Returns a role with what it allows. @throws NOT_FOUND */
export async function findRole(id: string): Promise<Role> {
  const { name, permissions } = (await getManaged(managedRoles, id)) as ManagedRecord & {
    name: string;
    permissions: string[];
  };
  return { id, name, permissions: allowedBy(name, permissions) };
}

/**
 * Step: asserts that the caller is an active administrator who has all of these permissions: none can give, or take
 * away, what they lack. Everything that changes roles and administrators calls it first: its lock makes such changes
 * take turns, so what it has checked stays true until the commit.
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export async function assertHolds(
  tx: Tx,
  { adminId }: AdminPrincipal,
  needed: (ownRole: string) => Promise<readonly Permission[]>,
): Promise<void> {
  await tx.query("SELECT FROM roles WHERE name = $1 FOR NO KEY UPDATE", [superAdminRole]);
  const [caller] = await tx.query<{ role: string; listed: string[] }>(
    `SELECT roles.name AS role, permissions AS listed FROM admins JOIN roles ON roles.id = role_id
     WHERE admins.id = $1 AND status = 'active'`,
    [adminId],
  );
  if (!caller) throw new DomainError("UNAUTHENTICATED");
  const held = allowedBy(caller.role, caller.listed);
  const lacking = (await needed(caller.role)).filter((permission) => !held.includes(permission));
  if (lacking.length > 0)
    throw new DomainError("FORBIDDEN", "Your role doesn't have these permissions itself: {{permissions}}.", {
      values: { permissions: lacking.join(", ") },
    });
}

/** Creates a role. @throws FORBIDDEN for permissions that the caller lacks, CONFLICT if the name is taken */
export const createRole = (
  caller: AdminPrincipal,
  { name, permissions }: { readonly name: string; readonly permissions: readonly Permission[] },
): Promise<ManagedRecord> =>
  createManaged(caller, managedRoles, { name, permissions }, (tx) => assertHolds(tx, caller, async () => permissions));

/**
 * Replaces the permissions of a role.
 * @throws NOT_FOUND, FORBIDDEN for `super_admin`, the caller's own role, and permissions that the caller lacks;
 *   CONFLICT if the role has changed since `version`
 */
export const setRolePermissions = (
  caller: AdminPrincipal,
  roleId: string,
  permissions: readonly Permission[],
  version?: number,
): Promise<ManagedRecord> =>
  updateManaged(
    caller,
    managedRoles,
    roleId,
    { permissions },
    {
      version,
      within: async (tx) => {
        await assertHolds(tx, caller, async (ownRole) => {
          const role = await findRole(roleId);
          if (role.name === superAdminRole)
            throw new DomainError("FORBIDDEN", "The role {{role}} can't be changed.", {
              values: { role: superAdminRole },
            });
          if (role.name === ownRole) throw new DomainError("FORBIDDEN", "You can't change your own role.");
          return [...role.permissions, ...permissions];
        });
        return {};
      },
    },
  );
