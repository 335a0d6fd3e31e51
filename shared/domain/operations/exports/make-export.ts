import pLimit from "p-limit";
import { inTransaction } from "#shared/db/transaction.ts";
import { claimTickets } from "#shared/domain/operations/tickets/erase-tickets.ts";
import { clock } from "#shared/kernel/clock.ts";
import { extended } from "#shared/kernel/extended.ts";
import { logger } from "#shared/kernel/logger.ts";
import { ExportModel } from "./export.model.ts";
import { exportMailJob } from "./export-mail.ts";
import { type ExportPart, exportParts } from "./export-parts.ts";
import { exportKeptMs } from "./request-export.ts";
import { zipParts } from "./zip-parts.ts";

/** How often an export is begun, also by processes that are killed, before it counts as failed. */
const attemptsMax = 3;

/** With what extensions keep of users. */
const allParts: readonly ExportPart[] = [
  ...exportParts,
  ...Object.entries(extended<Record<string, string>>("exports", {})).map(([name, sql]) => ({ name, sql })),
];

/** A process makes one export at a time, whatever waits: each holds a connection of the pool. */
const oneByOne = pLimit(1);

/** Makes an export; handles `exportJob`. Does nothing once it is ready or deleted. @throws Error, to be tried again */
export const makeExport = (exportId: string, parts: readonly ExportPart[] = allParts): Promise<void> =>
  oneByOne(() => attemptExport(exportId, parts));

async function attemptExport(id: string, parts: readonly ExportPart[]): Promise<void> {
  const begun = await beginAttempt(id);
  if (!begun) return;
  const { attempt, user_id: userId } = begun;
  try {
    const bytes = await zipParts(parts, begun, (percent) => noteProgress(id, attempt, percent));
    await endAttempt(id, attempt, bytes);
    logger.info({ userId, bytes }, "a user's data was exported");
  } catch (error) {
    if (attempt < attemptsMax) throw error;
    logger.error({ err: error, userId }, "a user's data could not be exported");
    await inTransaction((tx) => ExportModel.change(tx, { id, attempt }, { state: "failed" }));
  }
}

interface Attempt {
  readonly id: string;
  readonly user_id: string;
  readonly attempt: number;
}

/** Begins an attempt, and removes what an earlier one has left. */
function beginAttempt(id: string): Promise<Attempt | undefined> {
  return inTransaction(async (tx) => {
    const [begun] = await tx.query<Attempt & { verified: string | null }>(
      `UPDATE user_exports e SET state = 'running', attempt = attempt + 1, progress = 0
       FROM users u WHERE e.id = $1 AND u.id = e.user_id AND e.state IN ('queued', 'running')
       RETURNING e.id, e.user_id, e.attempt, CASE WHEN u.email_verified_at IS NOT NULL THEN u.email END AS verified`,
      [id],
    );
    if (!begun) return undefined;
    await tx.query("DELETE FROM user_export_pieces WHERE export_id = $1", [id]);
    // What they wrote to the support from their address, before they had an account or logged in, is theirs, too.
    if (begun.verified) await claimTickets(tx, begun.user_id, begun.verified);
    return begun;
  });
}

const noteProgress = (id: string, attempt: number, progress: number): Promise<unknown> =>
  inTransaction((tx) => ExportModel.change(tx, { id, attempt, state: "running" }, { progress }));

const endAttempt = (id: string, attempt: number, bytes: number): Promise<void> =>
  inTransaction(async (tx) => {
    const after = (ms: number) => new Date(clock.now() + ms).toISOString();
    const [ready_at, expires_at] = [after(0), after(exportKeptMs)];
    const values = { state: "ready", progress: 100, bytes, ready_at, expires_at } as const;
    const ended = await ExportModel.change(tx, { id, attempt, state: "running" }, values);
    if (ended) await tx.enqueue(exportMailJob, { export_id: id });
  });
