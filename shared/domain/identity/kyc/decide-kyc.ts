import type { IncomingHttpHeaders } from "node:http";
import type { AdminPrincipal, UserPrincipal } from "#shared/contracts/principal.ts";
import type { KycState, OpenedKyc } from "#shared/contracts/views.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { clock, isoNow, minutesMs } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { KycCases } from "./kyc.model.ts";
import { getKyc } from "./kyc.queries.ts";
import { kycProvider, kycProviderNamed } from "./kyc-provider.ts";

/** How many cases a user can open in 30 days: each costs the operator money at the provider. */
export const casesMax = 5;

/**
 * Opens a case of the caller at the provider, or returns the one that is open. The case is committed before the
 * provider is asked, so that asking again opens no second one.
 * @throws ENGINE_UNAVAILABLE, RATE_LIMITED (too many in the last 30 days)
 */
export async function openKyc({ userId }: UserPrincipal): Promise<OpenedKyc> {
  const provider = kycProvider();
  const { id } = await inTransaction(async (tx) => {
    await User.lock(tx, { id: userId }, ["id"]);
    const open = await KycCases.read({ user_id: userId, status: "pending" }, ["id"]);
    if (open) return open;
    await assertFewCases(tx, userId);
    return KycCases.insert(tx, { id: newId(), user_id: userId, provider: provider.name, status: "pending" as const });
  });
  const opened = await provider.open(id);
  await inTransaction((tx) => KycCases.change(tx, { id, status: "pending" }, { reference: opened.reference }));
  return opened;
}

async function assertFewCases(tx: Tx, userId: string): Promise<void> {
  const [wait] = await tx.query<{ seconds: number }>(
    `SELECT ceil(extract(epoch FROM created_at + interval '30 days' - now()))::integer AS seconds FROM kyc_cases
     WHERE user_id = $1 AND provider <> 'manual' AND created_at > now() - interval '30 days'
     ORDER BY created_at DESC OFFSET $2 LIMIT 1`,
    [userId, casesMax - 1],
  );
  if (wait) throw new DomainError("RATE_LIMITED", undefined, { retryAfter: Math.max(1, wait.seconds) });
}

/** How far ahead of ours a provider's clock may be. */
const aheadMinutes = 5;

/**
 * Receives the result of a case. Repeated, late, and older results change nothing.
 * @throws NOT_FOUND (no such provider), PAYMENT_SIGNATURE_INVALID, MALFORMED_JSON
 */
export async function receiveKyc(name: string, body: Buffer, headers: IncomingHttpHeaders): Promise<void> {
  const result = kycProviderNamed(name).parseWebhook(body, headers);
  const decidedAt = result ? Date.parse(result.decided_at) : Number.NaN;
  if (!result || !(decidedAt <= clock.now() + minutesMs(aheadMinutes)))
    return logger.error({ provider: name }, "a result of an identity check could not be applied");

  const { reference, status, level, expires_at } = result;
  await inTransaction(async (tx) => {
    const found = await KycCases.lock(tx, { provider: name, reference }, ["id", "user_id", "decided_at"]);
    if (!found) return logger.error({ provider: name }, "an identity check is of no known case");
    if (found.decided_at && Date.parse(found.decided_at) >= decidedAt) return;
    const decided_at = new Date(Math.min(decidedAt, clock.now())).toISOString();
    await KycCases.change(tx, { id: found.id }, { status, level, expires_at, decided_at });
    await tx.publish("kyc.decided", { user_id: found.user_id, status, level });
  });
}

interface KycDecision {
  readonly level: number;
  readonly expires_at: string;
  readonly reason: string;
}

/**
 * Sets how well a user is known; level 0 takes it away. What a provider decides later replaces it.
 * @throws NOT_FOUND, VALIDATION_ERROR when it would have expired
 */
export const setKyc = (
  caller: AdminPrincipal,
  userId: string,
  { level, expires_at, reason }: KycDecision,
): Promise<KycState> =>
  inTransaction(async (tx) => {
    if (Date.parse(expires_at) <= Date.parse(isoNow()))
      throw invalidFields([{ field: "expires_at", text: "{{field}} must be in the future" }]);
    const user = await User.lock(tx, { id: userId }, ["status"]);
    if (!user || user.status === "deleted") throw new DomainError("NOT_FOUND");
    const before = await getKyc(userId);
    const status = level > 0 ? "approved" : "rejected";
    await KycCases.insert(tx, {
      ...{ id: newId(), user_id: userId, provider: "manual", status, level, expires_at, reason },
      ...{ decided_by: caller.adminId, decided_at: isoNow() },
    });
    await tx.publish("kyc.decided", { user_id: userId, status, level });
    await tx.audit(caller, {
      action: "user.set_kyc",
      target: { type: "user", id: userId },
      before: { level: before.level, expires_at: before.expires_at },
      after: { level, expires_at },
      reason,
    });
    return getKyc(userId);
  });

/** Step: erases what identifies a user at a provider. That they were known when they were paid stays. */
export async function eraseKyc(tx: Tx, userId: string): Promise<number> {
  const erased = await tx.query(
    `UPDATE kyc_cases SET reference = NULL, reason = '', status = CASE status WHEN 'pending' THEN 'rejected' ELSE status END,
       decided_at = coalesce(decided_at, now())
     WHERE user_id = $1 AND (reference IS NOT NULL OR reason <> '' OR status = 'pending') RETURNING 1`,
    [userId],
  );
  return erased.length;
}
