import { poolSizes } from "#shared/db/pools.ts";
import { query } from "#shared/db/query.ts";

/** Makes PostgreSQL's statistics show all that has ended: each connection tells what it did when it is asked to. */
export async function flushStatistics(): Promise<void> {
  await Promise.all(
    Array.from({ length: poolSizes.calls }, () => query("SELECT pg_stat_force_next_flush(), pg_sleep(0.2)")),
  );
}
