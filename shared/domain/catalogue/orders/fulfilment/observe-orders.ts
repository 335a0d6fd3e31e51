import { setTimeout as pause } from "node:timers/promises";
import { queryOne } from "#shared/db/query.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";

/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

/**
 * Counts the orders whose outcome is unknown for the metrics. While the database is unreachable, the last count stays.
 */
export async function observeOrders(): Promise<void> {
  const counted = queryOne<{ unknown: number }>(
    `SELECT count(*) AS unknown FROM
       (SELECT 1 FROM catalogue_orders WHERE status = 'processing' AND problem IS NOT NULL LIMIT 1000) AS counted`,
  ).then(
    (row) => metrics.unknownOrders.set(row!.unknown),
    (error: unknown) => logger.warn({ err: error }, "orders could not be counted"),
  );
  await Promise.race([counted, pause(observeWithinMs, undefined, { ref: false })]);
}
