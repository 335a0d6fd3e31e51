import { defineJob } from "#shared/db/jobs.ts";
import { historiesNow } from "#shared/domain/money/payments/payments.config.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { type DayReport, reconcileDay } from "./reconcile-day.ts";

/** Compares yesterday's books (UTC) of all providers with ours. */
export const reconcileDayJob = defineJob("payments.reconcile_day", {
  retries: 5,
  retryMaxSeconds: 3600,
  timeoutSeconds: 3600,
  exclusive: true,
});

/** Returns yesterday, UTC. */
export const yesterday = (): string => new Date(clock.now() - daysMs(1)).toISOString().slice(0, 10);

/**
 * Compares the books of all providers of a day, each for itself: one that can't be asked doesn't stop the others.
 * Returns a report for each provider.
 * @throws what the first that failed has thrown, once all were tried
 */
export async function reconcileProviders(
  day = yesterday(),
  done: (provider: string, report: DayReport) => void = () => {},
): Promise<void> {
  const failures: unknown[] = [];
  for (const [provider, history] of historiesNow()) {
    try {
      const report = await reconcileDay(provider, history, day);
      logger.info({ provider, day, entries: report.entries, findings: report.findings.length }, "reconciled a day");
      done(provider, report);
    } catch (error) {
      logger.error({ err: error, provider, day }, "the books of a provider can't be compared");
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
