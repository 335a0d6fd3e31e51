import { setTimeout as pause } from "node:timers/promises";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { placeInLog } from "#shared/domain/operations/events/endpoints.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { openSink } from "./event-sink.ts";
import { SinkRunner } from "./run-sinks.ts";
import { moveSink } from "./sinks.queries.ts";

interface Progress {
  /** How many events are left, give or take. */
  readonly left: number;
  /** Why the last batch failed. */
  readonly error: string | null;
}

const lookMs = 500;

/**
 * Has a sink get all events since `from` again, with their IDs, or go on where an earlier backfill was stopped; and
 * writes them batch by batch, unless the service does, until the sink has all that were logged at the beginning.
 * `tell` hears how far it is. Returns when the first event happened; undefined without `from`.
 * @throws NOT_FOUND for a sink that the service hasn't written to
 */
export async function backfillSink(
  { name, url, from }: { readonly name: string; readonly url: string; readonly from: string | undefined },
  tell: (progress: Progress) => void,
): Promise<string | null | undefined> {
  const found = await queryOne<{ id: string; end: number }>(
    "SELECT id, (SELECT coalesce(max(position), 0) FROM event_log) AS end FROM event_sinks WHERE name = $1",
    [name],
  );
  if (!found) throw new DomainError("NOT_FOUND");
  const { id, end } = found;
  const begins = from === undefined ? undefined : await inTransaction((tx) => begin(tx, id, from));

  const ending = new AbortController();
  const running = new SinkRunner(name, openSink(url)).run(ending.signal);
  try {
    for (;;) {
      const place = await queryOne<Progress>(
        "SELECT greatest(0, $2 - position) AS left, error FROM event_sinks WHERE id = $1",
        [id, end],
      );
      if (!place) throw new DomainError("NOT_FOUND");
      tell(place);
      if (place.left === 0) return begins;
      await pause(lookMs);
    }
  } finally {
    ending.abort();
    await running;
  }
}

/** Step: moves a sink to a time. Returns when the first event happened; null if there is none. */
async function begin(tx: Tx, id: string, from: string): Promise<string | null> {
  const { position, begins_at } = await placeInLog(tx, from);
  await moveSink(tx, id, position);
  return begins_at;
}
