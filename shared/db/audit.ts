import type { AdminPrincipal, AdminVisitor } from "#shared/contracts/principal.ts";
import { newId } from "#shared/kernel/ids.ts";
import { execute } from "./query.ts";

/** A change by an administrator, or a login attempt. IDs and states only: the append-only log outlives accounts. */
export interface AuditEntry {
  /** The object and the verb, such as `user.suspend`. */
  readonly action: string;
  readonly target: { readonly type: string; readonly id: string };
  /** The fields that changed, before and after. */
  readonly before?: object;
  readonly after?: object;
  /** Why, in the administrator's words. */
  readonly reason?: string;
}

/** Fields whose values an entry never contains, because it outlives them: personal data and secrets. */
const unrecorded = new Set([
  "email",
  "full_name",
  "username",
  "mobile",
  "bio",
  "date_of_birth",
  "password",
  "password_hash",
  "totp_secret",
  "ip",
  "message",
  "body",
  "content",
  "subject",
  "details",
]);

/** Returns the JSON of a change, without the values of `unrecorded` fields. */
const recorded = (change: object | undefined): string | undefined =>
  change &&
  JSON.stringify(change, (key, value: unknown) => (unrecorded.has(key) && value !== null ? "(not recorded)" : value));

/** Writes an entry with the current transaction; called by `Tx.audit` only. */
export async function writeAuditEntry(actor: AdminPrincipal | AdminVisitor, entry: AuditEntry): Promise<void> {
  const { action, target, before, after, reason } = entry;
  const admin = actor.kind === "admin" ? actor : undefined;
  const key = admin?.serverKey;

  await execute(
    `INSERT INTO audit_log (id, principal_kind, principal_id, role, session_id, action, target_type, target_id,
       before, after, reason, ip, user_agent, request_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      newId(),
      key ? "server_key" : actor.kind,
      key?.id ?? admin?.adminId,
      admin?.role ?? "",
      key ? undefined : admin?.sessionId,
      action,
      target.type,
      target.id,
      recorded(before),
      recorded(after),
      reason,
      actor.ip,
      actor.userAgent,
      actor.requestId,
    ],
  );
}
