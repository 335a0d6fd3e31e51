import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import { inTransaction, sqlState, type Tx } from "#shared/db/transaction.ts";
import { getManaged } from "#shared/domain/base/managed/managed.queries.ts";
import type { ManagedRecord } from "#shared/domain/base/managed/managed-resource.ts";
import { createManaged } from "#shared/domain/base/managed/write-managed.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { areDependent } from "#shared/domain/operations/admins/admin-controls.ts";
import { DomainError, invalidFields } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { checkJob } from "./check-run.ts";
import { clearLines, computeJob } from "./compute-run.ts";
import { managedCorrections, managedRuns } from "./managed-runs.ts";
import { payJob } from "./pay-run.ts";
import { RunModel } from "./run.model.ts";
import { endSteps, lockRun, type Run } from "./run-steps.ts";

export interface RunInput {
  readonly period: "week" | "month";
  /** ISO 8601 date. */
  readonly starts_on: string;
  readonly time_zone: string;
}

const uniqueViolation = "23505";

/**
 * Begins a run, whose lines a job computes. Its period must have ended so long ago that its earnings have matured:
 * refunds come first. The period's ends are midnights of the zone, right over daylight saving.
 * @throws VALIDATION_ERROR (no Monday or first of a month, or too early), CONFLICT (the period has a run)
 */
export async function createRun(
  caller: AdminPrincipal,
  { period, starts_on, time_zone }: RunInput,
): Promise<ManagedRecord> {
  const id = newId();
  try {
    await inTransaction(async (tx) => {
      const made = await tx.query<{ begins: boolean; mature: boolean }>(
        `WITH bounds AS (
           SELECT $3::date AS day, $3::timestamp AT TIME ZONE $4 AS starts, ($3::timestamp + ('1 ' || $2)::interval) AT TIME ZONE $4 AS ends
         ), made AS (
           INSERT INTO runs (id, period, starts_on, time_zone, starts_at, ends_at, created_by, steps)
           SELECT $1, $2, day, $4, starts, ends, $5, 0 FROM bounds RETURNING 1
         )
         SELECT date_trunc($2, day) = day AS begins, ends + $6 * interval '1 day' <= now() AS mature FROM bounds, made`,
        [id, period, starts_on, time_zone, caller.adminId, setting("earnings_maturing_days")],
      );
      if (!made[0]!.begins)
        throw invalidFields([{ field: "starts_on", text: "{{field}} must be a Monday, or the first of a month" }]);
      if (!made[0]!.mature)
        throw invalidFields([{ field: "starts_on", text: "The earnings of this period haven't matured" }]);
      await tx.enqueue(computeJob, { run_id: id });
      await tx.audit(caller, {
        action: "run.create",
        target: { type: "run", id },
        after: { period, starts_on, time_zone },
      });
    });
  } catch (error) {
    if (sqlState(error) === uniqueViolation) throw new DomainError("CONFLICT", "This period has a run already.");
    throw error;
  }
  return getManaged(managedRuns, id);
}

/** Runs a step of a run that is in one of these states. @throws NOT_FOUND, CONFLICT */
const change = (
  caller: AdminPrincipal,
  id: string,
  { verb, from }: { readonly verb: string; readonly from: readonly string[] },
  work: (tx: Tx, run: Run) => Promise<object>,
): Promise<ManagedRecord> =>
  inTransaction(async (tx) => {
    const run = await lockRun(tx, id);
    if (!run) throw new DomainError("NOT_FOUND");
    if (!from.includes(run.status))
      throw new DomainError("CONFLICT", "This run is {{status}}.", { values: { status: run.status } });
    const after = await work(tx, run);
    await tx.audit(caller, {
      action: `run.${verb}`,
      target: { type: "run", id },
      before: { status: run.status },
      after,
    });
    return getManaged(managedRuns, id);
  });

/** Computes the lines of a run again. @throws NOT_FOUND, CONFLICT (it is approved, paid, or cancelled) */
export const recomputeRun = (caller: AdminPrincipal, id: string) =>
  change(caller, id, { verb: "compute", from: ["draft", "checked"] }, async (tx) => {
    const nothing = { line_count: null, salaries: null, commissions: null, hash: null, steps: 0 };
    await RunModel.change(tx, { id }, { status: "draft", approved_by: null, problems: [], ...nothing });
    await tx.enqueue(computeJob, { run_id: id });
    return { status: "draft" };
  });

/** Has a job recount each line. @throws NOT_FOUND, CONFLICT */
export const requestCheck = (caller: AdminPrincipal, id: string) =>
  change(caller, id, { verb: "check", from: ["draft"] }, async (tx) => {
    await RunModel.change(tx, { id }, { steps: 0 });
    await tx.enqueue(checkJob, { run_id: id });
    return { status: "draft" };
  });

/**
 * Approves a checked run; with the second approval, by another administrator, it is paid.
 * @throws NOT_FOUND, CONFLICT, FORBIDDEN (the same administrator, or one whom they control or who controls them)
 */
export const approveRun = (caller: AdminPrincipal, id: string) =>
  change(caller, id, { verb: "approve", from: ["checked"] }, async (tx, { approved_by }) => {
    if (approved_by === null) {
      await RunModel.change(tx, { id }, { approved_by: caller.adminId });
      return { status: "checked", approved_by: caller.adminId };
    }
    if (approved_by === caller.adminId || (await areDependent(tx, caller.adminId, approved_by)))
      throw new DomainError("FORBIDDEN", "Another administrator must approve, whom neither of you controls.");
    await RunModel.change(tx, { id }, { second_approved_by: caller.adminId, status: "approved", steps: 0 });
    await tx.enqueue(payJob, { run_id: id });
    return { status: "approved", second_approved_by: caller.adminId };
  });

/**
 * Cancels a run that isn't approved: its lines are deleted, and its period can have another.
 * @throws NOT_FOUND, CONFLICT
 */
export const cancelRun = (caller: AdminPrincipal, id: string) =>
  change(caller, id, { verb: "cancel", from: ["draft", "checked"] }, async (tx, run) => {
    await clearLines(tx, id);
    await endSteps(tx, run);
    await RunModel.change(tx, { id }, { status: "cancelled" });
    return { status: "cancelled" };
  });

/** Corrects what was paid: part of the next line of the contract. @throws VALIDATION_ERROR */
export const correctRun = (caller: AdminPrincipal, values: object): Promise<ManagedRecord> =>
  createManaged(caller, managedCorrections, values as Record<string, unknown>);
