import { query } from "#shared/db/query.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { atMost } from "#shared/kernel/within.ts";

/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

interface EventState {
  /** Events in the log, give or take those whose transaction was rolled back. */
  readonly kept: number;
  /** How far the furthest of those that aren't paused is behind. */
  readonly behind: number;
  /** Endpoints that are paused because they were dead. */
  readonly dead: number;
  /** Events that were deleted before an endpoint was given them. */
  readonly lost: number;
}

/** Measures the event log and those who read it now. */
export async function measureEvents(): Promise<EventState> {
  const [measured] = await query<EventState & Record<string, unknown>>(
    `WITH log AS (SELECT coalesce(max(position), 0) AS last, coalesce(min(position), 1) AS first FROM event_log),
       reader AS (
         SELECT position, lost, disabled_at IS NOT NULL AS is_paused, failing_since IS NOT NULL AS is_failing
         FROM event_endpoints
         UNION ALL SELECT position, lost, false, false FROM event_sinks WHERE active
       )
     SELECT log.last - log.first + 1 AS kept,
       coalesce(max(greatest(0, log.last - position)) FILTER (WHERE NOT is_paused), 0) AS behind,
       count(*) FILTER (WHERE is_paused AND is_failing) AS dead, coalesce(sum(lost), 0)::bigint AS lost
     FROM log LEFT JOIN reader ON true GROUP BY log.last, log.first`,
  );
  return measured!;
}

/** Measures the same for the metrics. While the database is unreachable, the last figures stay. */
export async function observeEvents(): Promise<void> {
  const measured = measureEvents()
    .then((state) => {
      for (const [figure, value] of Object.entries(state)) metrics.events.set({ figure }, value);
    })
    .catch((error: unknown) => logger.warn({ err: error }, "the event log could not be measured"));
  await atMost(observeWithinMs, measured);
}
