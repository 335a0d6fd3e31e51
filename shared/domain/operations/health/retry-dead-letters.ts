import type { Principal } from "#shared/contracts/principal.ts";
import { jobs } from "#shared/db/jobs.ts";
import { retryDeadLetter } from "#shared/db/outbox-failures.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Enqueues a dead-lettered job again. @throws NOT_FOUND, CONFLICT if this release has no jobs of its kind */
export const retryDeadJob = (principal: Principal, id: string): Promise<void> =>
  inTransaction(async (tx) => {
    const outcome = await jobs.retryDead(tx, id);
    if (outcome === "not found") throw new DomainError("NOT_FOUND");
    if (outcome === "kind unknown") throw new DomainError("CONFLICT", "This release has no jobs of this kind.");
    await tx.audit(principal, { action: "dead_job.retry", target: { type: "dead_job", id } });
  });

/** Has a dead-lettered domain event delivered again. @throws NOT_FOUND */
export const retryDeadEvent = (principal: Principal, id: number): Promise<void> =>
  inTransaction(async (tx) => {
    if (!(await retryDeadLetter(tx, id))) throw new DomainError("NOT_FOUND");
    await tx.audit(principal, { action: "dead_event.retry", target: { type: "dead_event", id: String(id) } });
  });
