import type { LeaderboardScope } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { protectedFrom } from "#shared/domain/identity/sessions/age-protections.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { weekOf } from "./week.ts";

/** Points that a user or a room has earned. */
export interface Points {
  readonly scope: LeaderboardScope;
  /** Monday of the week that they count in, `YYYY-MM-DD`. */
  readonly week: string;
  readonly subjectId: string;
  /** Greater than 0. */
  readonly points: number;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Step: adds points, except those of minors whom the settings hide from search. Writes all rows in one order, so that
 * concurrent calls for the same subjects wait for each other and never deadlock.
 */
export async function addPoints(tx: Tx, points: readonly Points[]): Promise<void> {
  if (points.length === 0) return;
  tx.send(
    `INSERT INTO leaderboard_scores (scope, week, subject_id, score, reached_at)
     SELECT scope, week, "subjectId", points, at
     FROM jsonb_to_recordset($1::jsonb) AS won (scope text, week date, "subjectId" uuid, points bigint, at timestamptz)
     WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = "subjectId" AND ${protectedFrom("search")} OFFSET 0)
     ORDER BY scope, week, "subjectId"
     ON CONFLICT (scope, week, subject_id) DO UPDATE SET score = leaderboard_scores.score + EXCLUDED.score,
       reached_at = greatest(leaderboard_scores.reached_at, EXCLUDED.reached_at)`,
    [JSON.stringify(sumOf(points))],
  );
}

/** Adds up points by row of the table; a sum is reached at the time of its latest points. */
function sumOf(points: readonly Points[]): Points[] {
  const sums = new Map<string, Points>();
  for (const won of points) {
    const key = `${won.scope} ${won.week} ${won.subjectId}`;
    const sum = sums.get(key);
    const at = sum && Date.parse(sum.at) > Date.parse(won.at) ? sum.at : won.at;
    sums.set(key, { ...won, at, points: won.points + (sum?.points ?? 0) });
  }
  return [...sums.values()];
}

/** Days for which past weeks are kept. */
const keptDays = 63;

/**
 * Deletes past weeks, and the minutes that were counted in them, in batches; a job calls it. Returns the number of
 * rows.
 */
export async function pruneLeaderboards(most = 5000): Promise<number> {
  const oldest = weekOf(clock.now() - daysMs(keptDays)).monday;
  const pruned = await Promise.all([
    deleteBatch({ from: "leaderboard_scores", key: "ctid", where: "week < $2" }, most, oldest),
    deleteBatch({ from: "leaderboard_minutes", key: "minute", where: "minute < now() - interval '2 days'" }, most),
  ]);
  return pruned.reduce((total, count) => total + count, 0);
}
