import { defineJob } from "#shared/db/jobs.ts";
import { queryOne } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { clock, daysMs, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import { chartTypes, factsBetween } from "./facts.ts";

/** Counts the quarters of an hour that are over, for the charts. */
export const countStatisticsJob = defineJob("statistics.count", {
  retries: 2,
  retryMaxSeconds: 60,
  timeoutSeconds: 120,
  exclusive: true,
});

const quarterMs = minutesMs(15);
/** A fact may be stored some time after its ID was created: the statement timeout is the limit. */
const settledMs = secondsMs(60);
/** What is counted again, in case a fact was stored later still. */
const recountMs = minutesMs(60);
/** How long one run of the job catches up. The next one continues. */
const runMs = secondsMs(90);

/** Returns the start of the first quarter that can still change. */
const settledUntil = (): number => Math.floor((clock.now() - settledMs) / quarterMs) * quarterMs;

/** Job: counts what is not counted yet, day by day, from the first account on. */
export async function countStatistics(): Promise<void> {
  const { counted_until } = (await queryOne<{ counted_until: string | null }>(
    "SELECT counted_until FROM stat_progress",
  ))!;
  const started = performance.now();
  const fromMs = counted_until === null ? await firstFactMs() : Date.parse(counted_until) - recountMs;
  await countDays(fromMs, () => performance.now() - started < runMs);
}

/**
 * Counts everything again, for the command line. `onDay` gets each day that is counted, as a date. Safe to repeat: a
 * figure never falls, because what it counted may have been deleted since.
 */
export async function backfillStatistics(onDay: (date: string) => void): Promise<void> {
  await countDays(await firstFactMs(), (startMs) => {
    onDay(new Date(startMs).toISOString().slice(0, 10));
    return true;
  });
}

/** All facts are of users. */
async function firstFactMs(): Promise<number> {
  const first = await queryOne<{ id: string }>("SELECT id FROM users ORDER BY id LIMIT 1");
  return first ? timeOfId(first.id) : settledUntil();
}

async function countDays(fromMs: number, goesOn: (startMs: number) => boolean): Promise<void> {
  const untilMs = settledUntil();
  let startMs = Math.min(Math.floor(fromMs / quarterMs) * quarterMs, untilMs);
  do {
    if (!goesOn(startMs)) return;
    const endMs = Math.min((Math.floor(startMs / daysMs(1)) + 1) * daysMs(1), untilMs);
    await countBetween(startMs, endMs);
    startMs = endMs;
  } while (startMs < untilMs);
}

const countBetween = (startMs: number, endMs: number): Promise<void> =>
  inTransaction(async (tx) => {
    await tx.query(
      `INSERT INTO stat_quarters (metric, quarter, value)
       SELECT metric, quarter, sum(value)::bigint FROM (${factsBetween(chartTypes)}) AS facts
       WHERE quarter IS NOT NULL GROUP BY metric, quarter ORDER BY metric, quarter
       ON CONFLICT (metric, quarter) DO UPDATE SET value = EXCLUDED.value WHERE stat_quarters.value < EXCLUDED.value`,
      [firstIdAt(startMs), firstIdAt(endMs)],
    );
    await tx.query("UPDATE stat_progress SET counted_until = $1 WHERE counted_until IS NULL OR counted_until < $1", [
      new Date(endMs).toISOString(),
    ]);
  });
