import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { DataExport } from "#shared/contracts/views.ts";
import { countChanges, deleteBatch } from "#shared/db/batches.ts";
import { defineJob } from "#shared/db/jobs.ts";
import type { RowOf } from "#shared/db/model.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { User } from "#shared/domain/identity/users/user.model.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { ExportModel } from "./export.model.ts";
import { exportLink } from "./export-link.ts";

/** Makes an export. A job of a process that was killed runs again. */
export const exportJob = defineJob<{ export_id: string }>("exports.make", {
  retries: 10,
  retryMaxSeconds: 60,
  timeoutSeconds: 7200,
});

/** How long an export stays after it is requested, and again after it is ready. */
export const exportKeptMs = daysMs(1);

/**
 * Requests an export of everything that the service stores of the caller. A repeated request returns the one that is
 * being made, or that is ready; each is deleted after a day.
 */
export function requestExport({ userId }: UserPrincipal): Promise<DataExport> {
  return inTransaction(async (tx) => {
    await User.lock(tx, { id: userId }, ["id"]);
    const present = await ExportModel.read({ user_id: userId });
    if (present && !isOver(present)) return toDataExport(present);

    if (present) await ExportModel.remove(tx, { id: present.id });
    const expires_at = new Date(clock.now() + exportKeptMs).toISOString();
    const requested = await ExportModel.insert(tx, { id: newId(), user_id: userId, expires_at });
    await tx.enqueue(exportJob, { export_id: requested.id });
    return toDataExport(requested);
  });
}

/** Returns the caller's export. @throws NOT_FOUND when there is none, or it has expired */
export async function getExport({ userId }: UserPrincipal): Promise<DataExport> {
  const found = await ExportModel.read({ user_id: userId });
  if (!found || isExpired(found)) throw new DomainError("NOT_FOUND", "There is no export. Request one.");
  return toDataExport(found);
}

type ExportRow = RowOf<typeof ExportModel>;

const isExpired = ({ expires_at }: ExportRow): boolean => Date.parse(expires_at) <= clock.now();
const isOver = (row: ExportRow): boolean => row.state === "failed" || isExpired(row);

function toDataExport({ id, state, progress, bytes, created_at, ready_at, expires_at }: ExportRow): DataExport {
  const url = state === "ready" ? exportLink(id) : null;
  return { id, state, progress, bytes, requested_at: created_at, ready_at, expires_at, url };
}

/** Deletes exports that have expired, some at a time. Returns how many. Called by a job. */
export const pruneExports = (most = 20): Promise<number> =>
  deleteBatch({ from: "user_exports", key: "id", where: "expires_at <= now()" }, most);

/** Step: deletes a user's export. Returns how many rows. */
export const eraseExports = (tx: Tx, userId: string): Promise<number> =>
  countChanges(tx, userId, "DELETE FROM user_exports WHERE user_id = $1 RETURNING 1");
