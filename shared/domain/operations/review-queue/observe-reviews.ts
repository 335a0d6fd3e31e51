import { observeCount } from "#shared/db/observe-count.ts";
import { metrics } from "#shared/kernel/metrics.ts";

/** Counts the reviews that are late for the metrics. */
export const observeReviews = (): Promise<void> =>
  observeCount(
    metrics.lateReviews,
    `SELECT (SELECT count(*) FROM
       (SELECT 1 FROM held_content WHERE status IN ('held', 'shown') AND due_at < now() LIMIT 1000) AS held)
     + (SELECT count(*) FROM
       (SELECT 1 FROM reports WHERE status = 'open' AND created_at < now() - interval '24 hours' LIMIT 1000) AS filed) AS n`,
  );
