import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { AdminLoggedIn } from "#shared/contracts/views.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { takeSecondFactor } from "#shared/domain/identity/second-factor/second-factor.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { allowedBy, type CallOrigin } from "./admin-access.ts";
import { adminTokenSeconds, issueAdminToken } from "./admin-token.ts";
import { admins } from "./second-factor.ts";
import { tryAdminPassword } from "./try-password.ts";

interface AdminCredentials {
  /** In lower case. */
  readonly email: string;
  readonly password: string;
  /** A code of the second factor. */
  readonly code?: string;
}

interface Account {
  readonly id: string;
  readonly email: string;
  readonly full_name: string;
  readonly password_hash: string;
  readonly status: "active" | "suspended";
  readonly role: string;
  readonly permissions: readonly string[];
  readonly mfa_enabled: boolean;
}

const invalidCredentials = () => new DomainError("INVALID_CREDENTIALS", "Incorrect email address, password, or code.");

/**
 * Logs an administrator in for 60 minutes. An unknown account, a suspended one, and a wrong password take the same time
 * and fail with the same error. Successes and failures are written to the audit log.
 * @throws INVALID_CREDENTIALS, MFA_REQUIRED after the right password, RATE_LIMITED
 */
export async function logInAdmin(
  { email, password, code }: AdminCredentials,
  origin: CallOrigin,
): Promise<AdminLoggedIn> {
  const account = await findAccount(email);
  const { right, attempt } = await tryAdminPassword(email, origin.ip, account?.password_hash, password);
  const lacksCode = right && account?.status === "active" && account.mfa_enabled && code === undefined;
  const loggedIn =
    account && right && !lacksCode
      ? await inTransaction((tx) => openAdminSession(tx, account, code, origin)).catch(async (error: unknown) => {
          await attempt.withdrawn();
          throw error;
        })
      : undefined;
  if (!loggedIn) {
    attempt.failed();
    await inTransaction((tx) => auditFailure(tx, account?.id, origin));
    throw lacksCode ? new DomainError("MFA_REQUIRED") : invalidCredentials();
  }
  await attempt.succeeded();
  return loggedIn;
}

const findAccount = (email: string): Promise<Account | undefined> =>
  queryOne<Account>(
    `SELECT admins.id, email, full_name, password_hash, status, roles.name AS role, permissions,
       totp_confirmed_at IS NOT NULL AS mfa_enabled
     FROM admins JOIN roles ON roles.id = role_id WHERE email = $1`,
    [email],
  );

/**
 * Step: opens a session; undefined for a wrong code, or if the account is suspended or has got another password
 * meanwhile. The lock on its row orders this login before or after those.
 */
async function openAdminSession(
  tx: Tx,
  account: Account,
  code: string | undefined,
  origin: CallOrigin,
): Promise<AdminLoggedIn | undefined> {
  const { id, email, full_name, role, mfa_enabled } = account;
  const locked = await tx.query(
    "SELECT FROM admins WHERE id = $1 AND password_hash = $2 AND status = 'active' FOR NO KEY UPDATE",
    [id, account.password_hash],
  );
  if (locked.length === 0) return undefined;
  if (mfa_enabled && !(code && (await takeSecondFactor(tx, admins, id, code)))) return undefined;

  const sessionId = newId();
  await tx.query(
    `INSERT INTO admin_sessions (id, admin_id, user_agent, ip, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))`,
    [sessionId, id, origin.userAgent, origin.ip, adminTokenSeconds],
  );
  const permissions = allowedBy(role, account.permissions);
  const admin: AdminPrincipal = {
    kind: "admin",
    adminId: id,
    sessionId,
    role,
    permissions,
    hasSecondFactor: mfa_enabled,
    ip: origin.ip,
    userAgent: origin.userAgent,
    requestId: origin.requestId,
  };
  await tx.audit(admin, { action: "admin.log_in", target: { type: "admin", id } });
  return {
    token: issueAdminToken(id, sessionId),
    admin: { id, email, full_name, role, permissions: [...permissions], mfa_enabled },
  };
}

/** Step: writes a failed login to the audit log, without what was typed. */
async function auditFailure(
  tx: Tx,
  adminId: string | undefined,
  { ip, userAgent, requestId }: CallOrigin,
): Promise<void> {
  const visitor = { kind: "visitor", ip, userAgent, requestId } as const;
  await tx.audit(visitor, { action: "admin.log_in_failed", target: { type: "admin", id: adminId ?? "unknown" } });
}
