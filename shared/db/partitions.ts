import { clock, daysMs, startOfMonth } from "#shared/kernel/clock.ts";
import { firstIdAt, timeOfId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { defineJob } from "./jobs.ts";
import { locks } from "./locks.ts";
import { dividableTables, dividedTables, monthsAhead } from "./partition-table.ts";
import { liftTimeouts, query } from "./query.ts";
import { inTransaction } from "./transaction.ts";

export const makePartitionsJob = defineJob("partitions", {
  retries: 10,
  retryMaxSeconds: 600,
  timeoutSeconds: 300,
  exclusive: true,
});

/**
 * Makes the partitions of the next months, as the owner of the tables. Does nothing while a backup or a migration runs.
 */
export async function makePartitions(): Promise<void> {
  for (const table of dividableTables) {
    const made = await inTransaction(async (tx) => {
      const [row] = await tx.query<{ made: number }>("SELECT make_partitions($1, $2, $3) AS made", [
        table,
        monthsAhead,
        locks.migrations,
      ]);
      return row!.made;
    });
    if (made === 0) continue;
    logger.info({ table, made }, "partitions of the next months are made");
    await inTransaction(async (tx) => {
      await liftTimeouts();
      await tx.query("SELECT analyze_divided($1)", [table]);
    });
  }
}

interface Partitions {
  /** The tables that aren't divided yet. */
  readonly undivided: string[];
  /** The divided tables whose rows are going where no partition was made for them. */
  readonly overflowing: string[];
  /** Until when each divided table has a partition for each month; null if none is divided. */
  readonly until: string | null;
  /** Whether rows overflow, or will soon: the job that makes partitions can't. */
  readonly isLate: boolean;
}

/** How long before the last partition ends there is usually another one. */
const aheadMs = daysMs(30);

/** Looks at the partitions of all tables. */
export async function measurePartitions(): Promise<Partitions> {
  const rests = await query<{ table: (typeof dividableTables)[number]; from: string }>(
    `SELECT "table", "from" FROM table_partitions WHERE "until" IS NULL ORDER BY "from"`,
  );
  const used = await Promise.all(
    rests.map(async ({ table, from }) => {
      const [first] = await query(`SELECT FROM ${table} WHERE id >= first_id_at($1) LIMIT 1`, [from]);
      return first ? table : [];
    }),
  );
  const overflowing = used.flat();
  const until = rests[0]?.from ?? null;
  return {
    undivided: dividedTables.filter((name) => !rests.some(({ table }) => table === name)),
    overflowing,
    until,
    isLate: overflowing.length > 0 || (until !== null && Date.parse(until) - clock.now() < aheadMs),
  };
}

/**
 * Returns the range of IDs in which what must be unique is looked for before rows with these IDs are added: that of the
 * month before theirs. In their own month, an index of the partition finds it.
 */
export function rangeBefore(ids: readonly string[]): [from: string, until: string] {
  const times = ids.map(timeOfId);
  return [firstIdAt(startOfMonth(Math.min(...times), -1)), firstIdAt(startOfMonth(Math.max(...times)))];
}
