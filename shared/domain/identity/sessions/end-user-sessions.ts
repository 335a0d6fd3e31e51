import type { Principal } from "#shared/contracts/principal.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { revokeSessionsOf } from "./revoke-sessions.ts";

/**
 * Ends every session of a user, on all devices. Returns how many were open.
 * @throws NOT_FOUND
 */
export async function endUserSessions(principal: Principal, userId: string): Promise<number> {
  return inTransaction(async (tx) => {
    const found = await tx.query("SELECT 1 FROM users WHERE id = $1 AND status <> 'deleted'", [userId]);
    if (found.length === 0) throw new DomainError("NOT_FOUND");

    const ended = await revokeSessionsOf(tx, userId, "ended by an administrator");
    await tx.audit(principal, {
      action: "user.end_sessions",
      target: { type: "user", id: userId },
      after: { ended },
    });
    return ended;
  });
}
