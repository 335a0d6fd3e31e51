import { superAdminRole, usualRoles } from "#shared/contracts/permissions.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { newId } from "#shared/kernel/ids.ts";
import { AdminModel } from "./admin.model.ts";
import { RoleModel } from "./role.model.ts";

export interface NewSuperAdmin {
  readonly email: string;
  readonly fullName: string;
  readonly password: string;
}

/**
 * Creates an administrator with all permissions, unless one has this email address; that one stays unchanged. Returns
 * whether it was created. For the command line and the start; not reachable over the network.
 */
export async function createSuperAdmin({ email, fullName, password }: NewSuperAdmin): Promise<boolean> {
  const address = email.toLowerCase();
  // Checked first, because a hash takes time and every start runs this.
  if (await AdminModel.read({ email: address }, ["id"])) return false;
  const passwordHash = await hashPassword(password, "admin");
  return inTransaction(async (tx) => {
    const created = await tx.query(
      `INSERT INTO admins (id, email, full_name, password_hash, role_id) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (email) DO NOTHING RETURNING id`,
      [newId(), address, fullName, passwordHash, await ensureSuperAdminRole(tx)],
    );
    return created.length > 0;
  });
}

/**
 * Step: creates the role with all permissions if it is missing; on a new service, also roles for usual jobs, which may
 * be changed or deleted. Returns its ID.
 */
export async function ensureSuperAdminRole(tx: Tx): Promise<string> {
  const created = await tx.query(
    "INSERT INTO roles (id, name, permissions) VALUES ($1, $2, '{*}') ON CONFLICT (name) DO NOTHING RETURNING id",
    [newId(), superAdminRole],
  );
  if (created.length > 0)
    for (const [name, permissions] of Object.entries(usualRoles))
      await tx.query("INSERT INTO roles (id, name, permissions) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING", [
        newId(),
        name,
        permissions,
      ]);
  return (await RoleModel.read({ name: superAdminRole }, ["id"]))!.id;
}
