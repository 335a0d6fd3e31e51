import { keyOfEvent, publicData } from "#shared/contracts/event-data.ts";
import { locks } from "#shared/db/locks.ts";
import type { LogEvents } from "#shared/db/outbox-recorder.ts";
import { query } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { setting } from "#shared/domain/base/settings/settings.ts";
import { isWanted } from "./wanted.ts";

/** An event of the log. */
export interface LogRow {
  readonly position: number;
  readonly id: string;
  readonly kind: string;
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

/** The most events that the log keeps. */
const keptMax = 5_000_000;

/**
 * Step: logs the events that an endpoint or a sink wants. The lock lasts from the first position until the commit, so
 * that a reader who has seen one position has seen all before it.
 */
export const logEvents: LogEvents = (tx, events) => {
  const rows = events
    .filter(({ topic }) => isWanted(topic))
    .map(({ topic, payload, created_at }) => ({
      ...{ kind: topic, key: keyOfEvent(topic, payload), data: publicData(topic, payload), created_at },
    }));
  if (rows.length === 0) return;
  tx.atEnd(async () => {
    tx.send("SELECT pg_advisory_xact_lock($1)", [locks.eventLog]);
    tx.send(
      `INSERT INTO event_log (id, kind, key, data, created_at)
       SELECT uuidv7(), kind, key, data, created_at
       FROM ROWS FROM (jsonb_to_recordset($1) AS (kind text, key text, data jsonb, created_at timestamptz))
         WITH ORDINALITY AS event (kind, key, data, created_at, place) ORDER BY place`,
      [JSON.stringify(rows)],
    );
  });
};

/** Returns the next events after a position, in their order. */
export const readLog = (after: number, most: number): Promise<LogRow[]> =>
  query<LogRow & Record<string, unknown>>(
    "SELECT position, id, kind, key, data, created_at FROM event_log WHERE position > $1 ORDER BY position LIMIT $2",
    [after, most],
  );

/**
 * Deletes events that are too old, or more than `kept`: at most `most` of them. Counts them for those that lack them.
 */
export const pruneLog = (most = 5000, kept = keptMax): Promise<number> =>
  inTransaction(async (tx) => {
    const [{ gone } = { gone: 0 }] = await tx.query<{ gone: number }>(
      `WITH gone AS (
         DELETE FROM event_log WHERE position IN (
           SELECT position FROM event_log WHERE position <= greatest(
             (SELECT position FROM event_log WHERE created_at < now() - $1 * interval '1 day'
              ORDER BY created_at DESC LIMIT 1),
             (SELECT max(position) - $2 FROM event_log))
           ORDER BY position LIMIT $3)
         RETURNING position, kind
       ), missed AS (
         UPDATE event_endpoints e SET lost = lost + missing.n FROM (
           SELECT e.id, count(*) AS n FROM event_endpoints e JOIN gone g
             ON g.position > e.position AND (g.kind = ANY (e.kinds) OR '*' = ANY (e.kinds)) GROUP BY e.id
         ) AS missing WHERE e.id = missing.id
       ), unwritten AS (
         UPDATE event_sinks s SET lost = lost + missing.n FROM (
           SELECT s.id, count(*) AS n FROM event_sinks s JOIN gone g ON g.position > s.position WHERE s.active GROUP BY s.id
         ) AS missing WHERE s.id = missing.id
       )
       SELECT count(*) AS gone FROM gone`,
      [setting("event_log_days"), kept, most],
    );
    return gone;
  });
