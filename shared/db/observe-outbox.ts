import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { atMost } from "#shared/kernel/within.ts";
import { recordSlot } from "./outbox-slots.ts";
import { query } from "./query.ts";

const countMax = 100_000;
/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

/** Measures the outbox now: what waits, up to 10,000 events, and the age of the oldest of them in seconds. */
export async function measureOutbox(): Promise<{ waiting: number; lag_seconds: number; dead: number }> {
  const oldest = (table: string) => `(SELECT created_at FROM ${table} ORDER BY id LIMIT 1)`;
  const some = (table: string) => `(SELECT 1 FROM ${table} LIMIT 10000)`;
  const [measured] = await query<{ waiting: number; lag_seconds: number; dead: number }>(
    `SELECT (SELECT count(*) FROM (${some("outbox")} UNION ALL ${some("outbox_deliveries")}) AS counted) AS waiting,
       (SELECT count(*) FROM ${some("outbox_dead_letters")} AS counted) AS dead,
       greatest(0, extract(epoch FROM clock_timestamp() - least(${oldest("outbox")}, ${oldest("outbox_deliveries")})))::float8
         AS lag_seconds`,
  );
  return measured!;
}

/** Counts what waits in the outbox for the metrics. While the database is unreachable, the last counts stay. */
export async function observeOutbox(): Promise<void> {
  const count = (rows: string) => `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT ${countMax}) AS counted)`;
  const counted = query<{ route: number; record: number; push: number; dead: number }>(
    `SELECT ${count("outbox")} AS route, ${count(`outbox_deliveries WHERE slot = ${recordSlot}`)} AS record,
       ${count(`outbox_deliveries WHERE slot > ${recordSlot}`)} AS push, ${count("outbox_dead_letters")} AS dead`,
  )
    .then(([row]) => {
      const { dead, ...backlog } = row!;
      for (const [stage, waiting] of Object.entries(backlog)) metrics.outboxBacklog.set({ stage }, waiting);
      metrics.outboxDeadLetters.set(dead);
    })
    .catch((error: unknown) => logger.warn({ err: error }, "the outbox could not be counted"));
  await atMost(observeWithinMs, counted);
}
