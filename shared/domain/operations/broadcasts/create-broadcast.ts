import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { IdempotentCall } from "#shared/db/idempotency.ts";
import { now } from "#shared/db/model.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { BroadcastModel } from "./broadcast.model.ts";
import { type Audience, managedBroadcasts } from "./managed-broadcasts.ts";
import { broadcastNowJob, type CountedAudience, countUsers } from "./send-broadcasts.ts";

/** How far ahead a broadcast can be scheduled, days. */
export const aheadMaxDays = 365;

export interface BroadcastInput {
  readonly title: string;
  readonly body: string;
  readonly audience: Audience;
  /** Only with the audience `country`, which requires it. */
  readonly country?: string;
  /** Only with the audience `user_ids`, which requires them. Unknown users are left out. */
  readonly user_ids?: readonly string[];
  /** ISO 8601, in the future. Default: now. */
  readonly scheduled_at?: string;
}

/**
 * Creates a broadcast, which a job sends.
 * @throws VALIDATION_ERROR, IDEMPOTENCY_CONFLICT
 */
export function createBroadcast(
  caller: AdminPrincipal,
  input: BroadcastInput,
  idempotency?: IdempotentCall,
): Promise<ManagedRecord> {
  const { title, body, audience, country, user_ids, scheduled_at } = input;
  return inTransaction(async (tx) => {
    assertConsistent(input);
    const id = newId();
    await tx.query(
      `INSERT INTO broadcasts (id, title, body, audience, country, user_ids, scheduled_at, created_by)
       VALUES ($1, $2, $3, $4, $5, $6::uuid[], coalesce($7::timestamptz, now()), $8)`,
      [id, title, body, audience, country ?? null, user_ids ?? null, scheduled_at ?? null, caller.adminId],
    );
    await tx.audit(caller, {
      action: "broadcast.create",
      target: { type: "broadcast", id },
      after: { title, audience, country, users: user_ids?.length, scheduled_at },
    });
    if (!scheduled_at) await tx.enqueue(broadcastNowJob, {});
    return getManaged(managedBroadcasts, id);
  }, idempotency);
}

function assertConsistent(input: Omit<BroadcastInput, "title" | "body">): void {
  for (const field of ["country", "user_ids"] as const) {
    if (input.audience === field && !input[field])
      throw invalidFields([{ field, text: "{{field}} is required for this audience" }]);
    if (input.audience !== field && input[field])
      throw invalidFields([{ field, text: "{{field}} is not allowed for this audience" }]);
  }
  if (!input.scheduled_at) return;
  const aheadMs = Date.parse(input.scheduled_at) - clock.now();
  if (aheadMs <= 0 || aheadMs > daysMs(aheadMaxDays))
    throw invalidFields([
      {
        field: "scheduled_at",
        text: "{{field}} must be in the future, at most {{count}} days ahead",
        values: { count: aheadMaxDays },
      },
    ]);
}

/** Returns how many users a broadcast would notify now. @throws VALIDATION_ERROR */
export function countAudience(input: Pick<BroadcastInput, "country"> & { audience: CountedAudience }): Promise<number> {
  assertConsistent(input);
  return countUsers(input.audience, input.country);
}

/**
 * Stops a broadcast before its next batch. Users who were notified keep the notification.
 * @throws NOT_FOUND, CONFLICT when it has ended
 */
export function stopBroadcast(caller: AdminPrincipal, id: string): Promise<ManagedRecord> {
  return inTransaction(async (tx) => {
    const broadcast = await BroadcastModel.lock(tx, { id }, ["status", "notified"]);
    if (!broadcast) throw new DomainError("NOT_FOUND");
    const { status, notified } = broadcast;
    if (status === "sent" || status === "stopped") throw new DomainError("CONFLICT", "This broadcast has ended.");

    await BroadcastModel.change(tx, { id }, { status: "stopped", ended_at: now });
    await tx.audit(caller, {
      action: "broadcast.stop",
      target: { type: "broadcast", id },
      before: { status },
      after: { status: "stopped", notified },
    });
    return getManaged(managedBroadcasts, id);
  });
}
