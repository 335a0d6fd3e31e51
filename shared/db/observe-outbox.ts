import { setTimeout as pause } from "node:timers/promises";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { recordSlot } from "./outbox-slots.ts";
import { query } from "./query.ts";

const countMax = 100_000;
/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

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
  await Promise.race([counted, pause(observeWithinMs, undefined, { ref: false })]);
}
