import {
  type Permission,
  permissions,
  type RequiredPermission,
  superAdminRole,
} from "#shared/contracts/permissions.ts";
import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { auditRefusal } from "#shared/db/audit-refusal.ts";
import { queryOne } from "#shared/db/query.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";
import { type AdminClaims, adminTokenKind, adminTokenRules } from "./admin-token.ts";

/** Where a call comes from, as the audit log names it. */
export type CallOrigin = Pick<AdminPrincipal, "ip" | "userAgent" | "requestId">;

interface Standing {
  readonly status: "active" | "suspended";
  readonly role: string;
  readonly permissions: readonly Permission[];
  readonly mfa: boolean;
  readonly usable: boolean;
}

/**
 * Returns what a role allows: those of its permissions that exist. `super_admin` has all, also those of later releases.
 */
export const allowedBy = (role: string, listed: readonly string[]): readonly Permission[] =>
  role === superAdminRole ? permissions : permissions.filter((permission) => listed.includes(permission));

/**
 * Returns the administrator whom verified claims name, with what their role allows now. Reads the database at each
 * call, so the end of a session, a suspension, or a change of a role holds for the next call of every process.
 * @throws UNAUTHENTICATED, ACCOUNT_SUSPENDED
 */
export async function adminCallerOf(claims: AdminClaims, origin: CallOrigin): Promise<AdminPrincipal> {
  const { sub, sid, typ, aud } = claims;
  if (typ !== adminTokenKind || aud !== adminTokenRules.audience || !isId(sub) || !isId(sid))
    throw new DomainError("UNAUTHENTICATED");

  const found = await queryOne<Standing>(
    `SELECT admins.status, roles.name AS role, roles.permissions, totp_confirmed_at IS NOT NULL AS mfa,
       revoked_at IS NULL AND expires_at > now() AS usable
     FROM admin_sessions JOIN admins ON admins.id = admin_id JOIN roles ON roles.id = role_id
     WHERE admin_sessions.id = $1 AND admins.id = $2`,
    [sid, sub],
  );
  if (found?.status === "suspended") throw new DomainError("ACCOUNT_SUSPENDED");
  if (!found?.usable) throw new DomainError("UNAUTHENTICATED");

  return {
    kind: "admin",
    adminId: sub,
    sessionId: sid,
    role: found.role,
    permissions: allowedBy(found.role, found.permissions),
    hasSecondFactor: found.mfa,
    // Copied: the origin of a request reads its IP address on demand, and a stored principal outlives the request.
    ip: origin.ip,
    userAgent: origin.userAgent,
    requestId: origin.requestId,
  };
}

/**
 * Asserts that the role of an administrator allows an operation. A missing permission is written to the audit log.
 * @throws MFA_REQUIRED if the settings demand a second factor that they don't have, FORBIDDEN
 */
export async function authorizeAdmin(
  caller: AdminPrincipal,
  required: RequiredPermission,
  operation: string,
): Promise<void> {
  // What concerns an administrator's own account, such as their password, takes the administrator.
  if (required === "none" && caller.serverKey) {
    await auditRefusal(caller, operation, { missing: required });
    throw new DomainError("FORBIDDEN", "A server key can't do this.");
  }
  if (required === "none") return;
  if (setting("admin_mfa_required") && !caller.hasSecondFactor) throw new DomainError("MFA_REQUIRED");
  if (caller.permissions.includes(required)) return;

  await auditRefusal(caller, operation, { missing: required });
  throw new DomainError("FORBIDDEN", "Your role doesn't have the permission {{permission}}.", {
    values: { permission: required },
  });
}

/**
 * Asserts that an administrator who was authenticated earlier still is; for answers that take long.
 * @throws UNAUTHENTICATED
 */
export async function assertAdminActive({ adminId, sessionId, serverKey }: AdminPrincipal): Promise<void> {
  const usable = await queryOne(
    serverKey
      ? `SELECT FROM server_keys k JOIN admins ON admins.id = created_by
         WHERE k.id = $1 AND admins.id = $2 AND status = 'active' AND (expires_at IS NULL OR expires_at > now())`
      : `SELECT FROM admin_sessions JOIN admins ON admins.id = admin_id
         WHERE admin_sessions.id = $1 AND admins.id = $2 AND status = 'active' AND revoked_at IS NULL
           AND expires_at > now()`,
    [sessionId, adminId],
  );
  if (!usable) throw new DomainError("UNAUTHENTICATED");
}
