import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { AdminAccount, AdminSession } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import { queryPage } from "#shared/db/query-page.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { AdminModel } from "./admin.model.ts";

const usable = "admin_id = $1 AND revoked_at IS NULL AND expires_at > now()";
const usableSessions = {
  count: `SELECT count(*) FROM admin_sessions WHERE ${usable}`,
  rows: `SELECT id, user_agent, ip, id = $2 AS is_current, created_at, expires_at
    FROM admin_sessions WHERE ${usable} AND $2::uuid IS NOT NULL ORDER BY id DESC LIMIT $3 OFFSET $4`,
};

/** Returns the caller's account, with what their role allows. */
export async function getAdminMe({
  adminId,
  role,
  permissions,
  hasSecondFactor,
}: AdminPrincipal): Promise<AdminAccount> {
  const found = await AdminModel.read({ id: adminId }, ["email", "full_name"]);
  return { id: adminId, ...found!, role, permissions: [...permissions], mfa_enabled: hasSecondFactor };
}

/** Returns the caller's sessions that can still be used, the newest first. */
export const listAdminSessions = (
  { adminId, sessionId }: AdminPrincipal,
  page: PageQuery,
): Promise<Page<AdminSession>> => queryPage<AdminSession>(usableSessions, [adminId, sessionId], page);

/**
 * Ends a session of the caller, which may be the current one.
 * @throws NOT_FOUND when it isn't theirs, or has ended
 */
export async function endAdminSession(caller: AdminPrincipal, sessionId: string): Promise<void> {
  await inTransaction(async (tx) => {
    const ended = await tx.query(
      `UPDATE admin_sessions SET revoked_at = now() WHERE ${usable} AND id = $2 RETURNING 1`,
      [caller.adminId, sessionId],
    );
    if (ended.length === 0) throw new DomainError("NOT_FOUND");
    await tx.audit(caller, { action: "admin.end_session", target: { type: "admin_session", id: sessionId } });
  });
}

/** Step: ends the sessions of an administrator, except for one. */
export async function endAdminSessionsOf(tx: Tx, adminId: string, exceptId?: string): Promise<void> {
  await tx.query(
    `UPDATE admin_sessions SET revoked_at = now()
     WHERE admin_id = $1 AND revoked_at IS NULL AND id IS DISTINCT FROM $2::uuid`,
    [adminId, exceptId],
  );
}

/** Deletes sessions that expired a day ago or earlier, at most `most` of them. Returns how many. */
export const pruneAdminSessions = (most = 5000): Promise<number> =>
  deleteBatch({ from: "admin_sessions", key: "id", where: "expires_at < now() - interval '1 day'" }, most);
