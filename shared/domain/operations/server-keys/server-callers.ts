import { botRights } from "#shared/contracts/bot-rights.ts";
import type { Permission } from "#shared/contracts/permissions.ts";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import { queryOne } from "#shared/db/query.ts";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { hashSecret } from "#shared/domain/identity/api-keys/secrets.ts";
import { allowedBy, type CallOrigin } from "#shared/domain/operations/admins/admin-access.ts";
import { clock, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";

/** Keys begin with this, so that one that leaks is found by what searches for secrets. */
export const keyPrefix = "hub_sk_";
export const isServerKey = (token: string): boolean => token.startsWith(keyPrefix);

/** What the role of who created a key must allow for its bots. */
export const botPermission: Permission = "users.write";

interface Row {
  readonly id: string;
  readonly permissions: readonly string[];
  readonly calls_per_minute: number;
  readonly is_noted: boolean;
  readonly is_bot: boolean;
  readonly admin_id: string;
  readonly role: string;
  readonly listed: readonly string[];
  readonly mfa: boolean;
}

/**
 * Returns who created a key, as far as the key allows, and whether it may act as a user. Reads the database at each
 * call, so that a revocation holds for the next call of every process.
 * @throws UNAUTHENTICATED
 */
async function holderOf(key: string, origin: CallOrigin, botId: string | null) {
  const found = await queryOne<Row & Record<string, unknown>>(
    `SELECT k.id, k.permissions, k.calls_per_minute, a.id AS admin_id, r.name AS role, r.permissions AS listed,
       a.totp_confirmed_at IS NOT NULL AS mfa, coalesce(k.last_used_at > now() - interval '1 minute', false) AS is_noted,
       EXISTS (SELECT 1 FROM users u WHERE u.id = $2 AND u.id = ANY (k.bots) AND u.status = 'active') AS is_bot
     FROM server_keys k JOIN admins a ON a.id = k.created_by JOIN roles r ON r.id = a.role_id
     WHERE (k.hash = $1 OR (k.previous_hash = $1 AND k.previous_until > now()))
       AND (k.expires_at IS NULL OR k.expires_at > now()) AND a.status = 'active'`,
    [hashSecret(key), botId],
  );
  if (!found) throw new DomainError("UNAUTHENTICATED");
  // To the minute, so that reading doesn't write at each call.
  if (!found.is_noted) await alone("UPDATE server_keys SET last_used_at = now() WHERE id = $1", [found.id]);

  const held = allowedBy(found.role, found.listed);
  const caller: AdminPrincipal = {
    ...{ kind: "admin", adminId: found.admin_id, sessionId: found.id, role: found.role },
    permissions: held.filter((permission) => found.permissions.includes(permission)),
    hasSecondFactor: found.mfa,
    ...{ ip: origin.ip, userAgent: origin.userAgent, requestId: origin.requestId },
    serverKey: { id: found.id, callsPerMinute: found.calls_per_minute },
  };
  return { caller, isBot: found.is_bot && held.includes(botPermission) };
}

/**
 * Returns the administrator in whose name a server of the operator calls, with what its key allows.
 * @throws UNAUTHENTICATED
 */
export const serverCallerOf = async (key: string, origin: CallOrigin): Promise<AdminPrincipal> =>
  (await holderOf(key, origin, null)).caller;

/** How long a call of a bot may be under way: it is authenticated at each. */
const botMs = minutesMs(15);

/**
 * Returns the bot that a server of the operator acts as. Users who aren't bots of its key don't exist for it.
 * @throws UNAUTHENTICATED
 */
export async function botOf(key: string, origin: CallOrigin, actAs: string | undefined): Promise<UserPrincipal> {
  const botId = isId(actAs) ? actAs : null;
  const { caller, isBot } = await holderOf(key, origin, botId);
  if (botId === null || !isBot)
    throw new DomainError("UNAUTHENTICATED", "Send the header Act-As with the ID of a bot of this server key.");
  return {
    kind: "user",
    userId: botId,
    sessionId: caller.sessionId,
    expiresAtMs: clock.now() + botMs,
    actedBy: caller,
  };
}

/** Asserts that a bot may do something that isn't reading: `operation` is its ID. @throws FORBIDDEN */
export function assertBotMay(operation: string): void {
  if (!botRights.has(operation)) throw new DomainError("FORBIDDEN", "A server key can't do this.");
}

/** Writes to the audit log that a server of the operator calls an operation as a bot. */
export const auditBot = ({ userId, actedBy }: UserPrincipal, operation: string): Promise<void> =>
  inTransaction((tx) =>
    tx.audit(actedBy!, { action: "server_key.act_as", target: { type: "user", id: userId }, after: { operation } }),
  );
