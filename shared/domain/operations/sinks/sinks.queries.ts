import type { AdminPrincipal } from "#shared/contracts/principal.ts";
import type { EventReplay, EventSinkRecord } from "#shared/contracts/views.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { placeInLog } from "#shared/domain/operations/events/endpoints.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";

/** Returns the sinks with how far they are, those that are no longer configured last. */
export const listSinks = (): Promise<EventSinkRecord[]> =>
  query<EventSinkRecord & Record<string, unknown>>(
    `SELECT id, name, active, lost, written_at, error,
       greatest(0, (SELECT coalesce(max(position), 0) FROM event_log) - position) AS behind
     FROM event_sinks ORDER BY active DESC, name`,
  );

/** Step: has a sink get what follows a position, from its next batch on. @throws NOT_FOUND */
export async function moveSink(tx: Tx, id: string, position: number): Promise<void> {
  const moved = await tx.query("UPDATE event_sinks SET position = $2, batch_to = NULL WHERE id = $1 RETURNING 1", [
    id,
    position,
  ]);
  if (moved.length === 0) throw new DomainError("NOT_FOUND");
}

/** Has a sink get the events of the log again that happened since a time. @throws NOT_FOUND */
export const replayToSink = (caller: AdminPrincipal, id: string, from: string): Promise<EventReplay> =>
  inTransaction(async (tx) => {
    const replay = await placeInLog(tx, from);
    await moveSink(tx, id, replay.position);
    await tx.audit(caller, { action: "event_sink.replay", target: { type: "event_sink", id }, after: { from } });
    return { begins_at: replay.begins_at, events: replay.events };
  });
