import { observeCount } from "#shared/db/observe-count.ts";
import { metrics } from "#shared/kernel/metrics.ts";

/** Counts the orders whose outcome is unknown for the metrics. */
export const observeOrders = (): Promise<void> =>
  observeCount(
    metrics.unknownOrders,
    `SELECT count(*) AS n FROM
       (SELECT 1 FROM catalogue_orders WHERE status = 'processing' AND problem IS NOT NULL LIMIT 1000) AS counted`,
  );
