import "./access/access-tokens.ts";
import { type Permission, permissions, superAdminRole } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { hashPassword } from "#shared/domain/identity/accounts/password.ts";
import { issueAdminToken } from "#shared/domain/operations/admins/admin-token.ts";
import { ensureSuperAdminRole } from "#shared/domain/operations/admins/create-super-admin.ts";
import { createServerKey } from "#shared/domain/operations/server-keys/server-keys.ts";
import { newId } from "#shared/kernel/ids.ts";

/** The password of all built administrators, hashed once per process. */
const password = "an administrator's long password";
let passwordHash: Promise<string> | undefined;

export interface BuiltAdmin {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly roleId: string;
  readonly sessionId: string;
  /** An admin token of the session. */
  readonly token: string;
}

/** Creates a role with these permissions. Returns its ID. */
export async function buildRole(allowed: readonly Permission[]): Promise<string> {
  const id = newId();
  await query("INSERT INTO roles (id, name, permissions) VALUES ($1, $2, $3)", [id, `role_${id.slice(-12)}`, allowed]);
  return id;
}

/** Opens a session of an administrator. */
export async function buildAdminSession(adminId: string): Promise<{ sessionId: string; token: string }> {
  const sessionId = newId();
  await query(
    `INSERT INTO admin_sessions (id, admin_id, user_agent, ip, expires_at)
     VALUES ($1, $2, 'tests', '127.0.0.1', now() + interval '1 hour')`,
    [sessionId, adminId],
  );
  return { sessionId, token: issueAdminToken(adminId, sessionId) };
}

/** Creates an administrator with a session: a super administrator, or one whose role has only these permissions. */
export async function buildAdmin(allowed?: readonly Permission[]): Promise<BuiltAdmin> {
  const id = newId();
  const email = `${id}@example.com`;
  passwordHash ??= hashPassword(password);
  const roleId = allowed ? await buildRole(allowed) : await inTransaction(ensureSuperAdminRole);
  await query("INSERT INTO admins (id, email, full_name, password_hash, role_id) VALUES ($1, $2, 'Root', $3, $4)", [
    id,
    email,
    await passwordHash,
    roleId,
  ]);
  return { id, email, password, roleId, ...(await buildAdminSession(id)) };
}

/** Returns the ID of a removal of something that a user wrote. */
export async function buildRemoval({ id }: { readonly id: string }, text = "What a day!"): Promise<string> {
  const removalId = newId();
  await query(
    `INSERT INTO removals (id, user_id, kind, content_id, text, reason, kept)
     VALUES ($1, $2, 'direct_message', $1, $3, $3, jsonb_build_object('body', $3::text))`,
    [removalId, id, text],
  );
  return removalId;
}

/** Returns the ID of a sanction that is stored, but that no process has heard of. */
export async function buildSanction({ id }: { readonly id: string }): Promise<string> {
  const sanctionId = newId();
  const admin = await buildAdmin();
  await query(
    `INSERT INTO sanctions (id, user_id, kinds, reason, created_by) VALUES ($1, $2, '{gift}', 'Insults in a room.', $3)`,
    [sanctionId, id, admin.id],
  );
  return sanctionId;
}

/** Returns a server key of a super administrator that has only these permissions. */
export async function buildServerKey(allowed: readonly Permission[]): Promise<{ id: string; key: string }> {
  const { id, sessionId } = await buildAdmin();
  const caller: AdminPrincipal = {
    ...({ kind: "admin", adminId: id, sessionId, role: superAdminRole, permissions, hasSecondFactor: true } as const),
    ...{ ip: "127.0.0.1", userAgent: "tests", requestId: newId() },
  };
  const input = { name: "Tests", permissions: allowed, calls_per_minute: 6000, expires_at: null };
  const made = await createServerKey(caller, input);
  return { id: String(made.id), key: made.key };
}
