import { defineJob } from "#shared/db/jobs.ts";
import { liftTimeouts } from "#shared/db/query.ts";
import { inTransaction } from "#shared/db/transaction.ts";
import { idsOf, lockRun, type RunData } from "./compute-run.ts";
import { counted } from "./measures.ts";

export const checkJob = defineJob<RunData>("run.check", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 1800 });

/** Lines that are named of those that don't add up. */
const namedMax = 20;

/**
 * Recounts each line from the ledger, the sessions, and the corrections, without what computed it: days are counted by
 * the period's days, and salaries by what the line says of its plan. `$1`: run; `$2`, `$3`: IDs of entries.
 */
const wrongLines = `
  WITH r AS (SELECT * FROM runs WHERE id = $1),
  l AS MATERIALIZED (
    SELECT l.*, greatest(c.starts_at, r.starts_at) AS since, least(c.ends_at, r.ends_at) AS until
    FROM run_lines l CROSS JOIN r JOIN contracts c ON c.id = l.contract_id WHERE l.run_id = $1
  ), earned AS (
    SELECT l.id, sum(e.amount) AS earnings FROM l JOIN ledger_entries e ON e.user_id = l.host_id
    WHERE ${counted} AND e.id BETWEEN $2 AND $3 AND e.created_at >= l.since AND e.created_at < l.until GROUP BY l.id
  ), calendar AS MATERIALIZED (
    SELECT day AT TIME ZONE r.time_zone AS starts, (day + interval '1 day') AT TIME ZONE r.time_zone AS ends
    FROM r CROSS JOIN generate_series(r.starts_on::timestamp, (r.starts_on + ('1 ' || r.period)::interval) - interval '1 day',
      interval '1 day') AS day
  ), by_day AS (
    SELECT l.id, d.starts, (l.how ->> 'day_minutes')::int * 60 AS least,
      sum(extract(epoch FROM least(s.ended_at, d.ends, l.until) - greatest(s.started_at, d.starts, l.since))) AS seconds
    FROM l JOIN seat_sessions s ON s.user_id = l.host_id AND s.ended_at > l.since AND s.started_at < l.until
      JOIN calendar d ON least(s.ended_at, l.until) > d.starts AND greatest(s.started_at, l.since) < d.ends
    GROUP BY l.id, d.starts, l.how
  ), sat AS (
    SELECT id, floor(sum(seconds)) AS seconds, count(*) FILTER (WHERE seconds >= least) AS days FROM by_day GROUP BY id
  ), corrected AS (
    SELECT contract_id, sum(salary) AS salary, sum(commission) AS commission FROM run_corrections WHERE run_id = $1 GROUP BY 1
  ), due AS (
    SELECT l.id, l.contract_id, coalesce(e.earnings, 0) AS earnings, coalesce(s.seconds, 0) AS seconds, coalesce(s.days, 0) AS days,
      l.how, coalesce(k.salary, 0) AS more_salary, coalesce(k.commission, 0) AS more_commission
    FROM l LEFT JOIN earned e USING (id) LEFT JOIN sat s USING (id) LEFT JOIN corrected k ON k.contract_id = l.contract_id
  ), judged AS (
    SELECT d.*, CASE jsonb_array_length(d.how -> 'targets') WHEN 0 THEN 100 ELSE (
        SELECT coalesce(sum((t ->> 'weight')::int), 0) FROM jsonb_array_elements(d.how -> 'targets') AS t
        WHERE (t ->> 'threshold')::bigint <= CASE t ->> 'metric'
          WHEN 'earnings' THEN d.earnings WHEN 'seat_days' THEN d.days ELSE d.seconds END) END AS weight
    FROM due d
  )
  SELECT l.contract_id, 'differs' AS problem FROM l JOIN judged j USING (id)
  WHERE (l.earnings, l.seat_seconds, l.seat_days, l.weight) IS DISTINCT FROM (j.earnings, j.seconds, j.days, j.weight)
    OR l.salary <> coalesce(round((j.how #>> '{level,salary}')::numeric * j.weight / 100), 0) + j.more_salary
    OR l.commission <> trunc(greatest(j.earnings, 0) * (j.how ->> 'basis_points')::int / 10000) + j.more_commission
  UNION ALL
  SELECT c.id, 'missing' FROM r JOIN agencies a ON a.time_zone = r.time_zone AND a.period = r.period
    JOIN contracts c ON c.agency_id = a.id AND c.starts_at < r.ends_at
      AND (c.ends_at IS NULL OR c.ends_at > greatest(c.starts_at, r.starts_at))
  WHERE NOT EXISTS (SELECT FROM run_lines WHERE run_id = $1 AND contract_id = c.id)
  ORDER BY 1 LIMIT ${namedMax}`;

/** Checks a draft: it is `checked` if every line adds up, or else says which lines don't. A job calls it. */
export const checkRun = ({ run_id }: RunData): Promise<void> =>
  inTransaction(async (tx) => {
    await liftTimeouts();
    const run = await lockRun(tx, run_id);
    if (run?.status !== "draft" || run.line_count === null) return;
    const problems = await tx.query(wrongLines, [run_id, ...idsOf(run)]);
    await tx.query(
      `UPDATE runs SET problems = $2, status = CASE jsonb_array_length($2::jsonb) WHEN 0 THEN 'checked' ELSE status END
       WHERE id = $1`,
      [run_id, JSON.stringify(problems)],
    );
  });
