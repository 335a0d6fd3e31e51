import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { hashPassword } from "#shared/domain/accounts/password.ts";
import { newId } from "#shared/kernel/ids.ts";

export interface NewSuperAdmin {
  readonly email: string;
  readonly fullName: string;
  readonly password: string;
}

/** The role with all permissions, including those of later releases. */
const superAdmin = { name: "super_admin", permissions: ["*"] };

/**
 * Creates an administrator with all permissions, unless one has this email address; that one stays unchanged. Returns
 * whether it was created. For the command line and the start; not reachable over the network.
 */
export async function createSuperAdmin({ email, fullName, password }: NewSuperAdmin): Promise<boolean> {
  const address = email.toLowerCase();
  // Checked first, because a hash takes time and every start runs this.
  if (await queryOne("SELECT FROM admins WHERE email = $1", [address])) return false;
  const passwordHash = await hashPassword(password);
  return inTransaction(async (tx) => {
    await tx.query("INSERT INTO roles (id, name, permissions) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING", [
      newId(),
      superAdmin.name,
      superAdmin.permissions,
    ]);
    const created = await tx.query(
      `INSERT INTO admins (id, email, full_name, password_hash, role_id)
       SELECT $1, $2, $3, $4, id FROM roles WHERE name = $5
       ON CONFLICT (email) DO NOTHING RETURNING id`,
      [newId(), address, fullName, passwordHash, superAdmin.name],
    );
    return created.length > 0;
  });
}
