import type { LeaderboardScope } from "#shared/contracts/views.ts";
import { deleteBatch } from "#shared/db/batches.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { clock, daysMs } from "#shared/kernel/clock.ts";
import { weekOf } from "./week.ts";

/** Points that a user or a room has earned. */
export interface Points {
  readonly scope: LeaderboardScope;
  readonly subjectId: string;
  /** Greater than 0. */
  readonly points: number;
  /** ISO 8601. */
  readonly at: string;
}

/**
 * Step: adds points to the week of `atMs`. Writes all rows in one order, so that concurrent calls for the same subjects
 * wait for each other and never deadlock.
 */
export async function addPoints(tx: Tx, atMs: number, points: readonly Points[]): Promise<void> {
  if (points.length === 0) return;
  await tx.query(
    `INSERT INTO leaderboard_scores (scope, week, subject_id, score, reached_at)
     SELECT scope, $2::date, "subjectId", sum(points), max(at)
     FROM jsonb_to_recordset($1::jsonb) AS won (scope text, "subjectId" uuid, points bigint, at timestamptz)
     GROUP BY scope, "subjectId" ORDER BY scope, "subjectId"
     ON CONFLICT (scope, week, subject_id) DO UPDATE SET score = leaderboard_scores.score + EXCLUDED.score,
       reached_at = greatest(leaderboard_scores.reached_at, EXCLUDED.reached_at)`,
    [JSON.stringify(points), weekOf(atMs).monday],
  );
}

/** How long past weeks are kept, in days. */
const keptDays = 63;

/**
 * Deletes past weeks, and records of what was counted so long ago that it can't be delivered again, in batches; a job
 * calls it. Returns the number of rows.
 */
export async function pruneLeaderboards(most = 5000): Promise<number> {
  const oldest = weekOf(clock.now() - daysMs(keptDays)).monday;
  // A domain event that couldn't be pushed stays in the outbox, and is recorded again on each attempt.
  const uncountable = `counted_at < now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = leaderboard_facts.fact_id)`;
  const pruned = await Promise.all([
    deleteBatch({ from: "leaderboard_scores", key: "ctid", where: "week < $2" }, most, oldest),
    deleteBatch({ from: "leaderboard_facts", key: "fact_id", where: uncountable }, most),
    deleteBatch({ from: "leaderboard_minutes", key: "minute", where: "minute < now() - interval '2 days'" }, most),
  ]);
  return pruned.reduce((total, count) => total + count, 0);
}
