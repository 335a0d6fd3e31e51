import type { Gauge } from "prom-client";
import { logger } from "#shared/kernel/logger.ts";
import { atMost } from "#shared/kernel/within.ts";
import { queryOne } from "./query.ts";

/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

/** Sets a metric to what a statement counts as `n`. While the database is unreachable, the last count stays. */
export async function observeCount(gauge: Gauge, statement: string): Promise<void> {
  const counted = queryOne<{ n: number }>(statement).then(
    (row) => gauge.set(row!.n),
    (error: unknown) => logger.warn({ err: error }, "rows could not be counted for a metric"),
  );
  await atMost(observeWithinMs, counted);
}
