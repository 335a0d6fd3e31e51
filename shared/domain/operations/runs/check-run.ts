import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { RunModel } from "./run.model.ts";
import {
  addingSums,
  addPart,
  beginSteps,
  endStep,
  endSteps,
  entriesOfPart,
  isToBegin,
  linesEach,
  type Pace,
  partByTimes,
  parts,
  type Run,
  type RunData,
  summedUp,
  takeSteps,
} from "./run-steps.ts";

export const checkJob = defineJob<RunData>("run.check", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 1800 });

/** Lines that are named of those that don't add up. */
const namedMax = 20;

/**
 * What the hosts of all contracts earned, of whichever agency, of parts that are cut otherwise: all of a part, or what
 * came between the beginning and the end of contracts that have one of them in it.
 */
const addEarned = addingSums(`
  WITH partly AS MATERIALIZED (
    SELECT id, host_id, tstzrange(starts_at, ends_at) AS held FROM contracts
    WHERE starts_at >= $4 AND starts_at < $5 OR ends_at > $4 AND ends_at < $5
  ), sums AS MATERIALIZED (
    SELECT e.user_id, p.id, sum(e.amount)::bigint AS amount
    FROM ${entriesOfPart} e LEFT JOIN partly p ON p.host_id = e.user_id AND p.held @> e.created_at GROUP BY e.user_id, p.id
  )
  SELECT id, amount FROM sums WHERE id IS NOT NULL
  UNION ALL
  SELECT c.id, sums.amount FROM contracts c JOIN sums ON sums.user_id = c.host_id AND sums.id IS NULL
  WHERE c.starts_at < $4 AND coalesce(c.ends_at, 'infinity') >= $5`);

/**
 * Recounts some lines from the ledger, the sessions, and the corrections, without what computed them: days are counted
 * by the period's days, and salaries by what the line says of its plan. `$1`: run; `$2`: lines before.
 */
const wrongLines = `
  WITH l AS MATERIALIZED (
    SELECT l.*, greatest(c.starts_at, r.starts_at) AS since, least(c.ends_at, r.ends_at) AS until,
      (l.how ->> 'day_minutes')::int * 60 AS day_seconds
    FROM (SELECT * FROM run_lines WHERE run_id = $1 ORDER BY contract_id LIMIT ${linesEach} OFFSET $2) l
      JOIN runs r ON r.id = l.run_id JOIN contracts c ON c.id = l.contract_id
  ), earned AS (${summedUp}), calendar AS MATERIALIZED (
    SELECT array_agg(day AT TIME ZONE r.time_zone ORDER BY day) AS starts
    FROM runs r CROSS JOIN generate_series(r.starts_on::timestamp, r.starts_on + ('1 ' || r.period)::interval, interval '1 day') AS day
    WHERE r.id = $1
  ), sat AS (
    SELECT l.id, floor(sum(d.seconds)) AS seconds, count(*) FILTER (WHERE d.seconds >= l.day_seconds) AS days
    FROM l CROSS JOIN calendar CROSS JOIN LATERAL (
      SELECT extract(epoch FROM sum(least(s.ended_at, starts[nth + 1], l.until) - greatest(s.started_at, starts[nth], l.since))) AS seconds
      FROM (
        SELECT started_at, ended_at, generate_series(width_bucket(greatest(started_at, l.since), starts),
          width_bucket(least(ended_at, l.until) - interval '1 microsecond', starts)) AS nth
        FROM seat_sessions WHERE user_id = l.host_id AND ended_at > l.since AND started_at < l.until
      ) AS s GROUP BY nth
    ) AS d GROUP BY l.id, l.day_seconds
  ), corrected AS (
    SELECT contract_id, sum(salary) AS salary, sum(commission) AS commission FROM run_corrections WHERE run_id = $1 GROUP BY 1
  ), due AS (
    SELECT l.*, coalesce(e.amount, 0) AS due_earnings, coalesce(s.seconds, 0) AS due_seconds, coalesce(s.days, 0) AS due_days,
      coalesce(k.salary, 0) AS more_salary, coalesce(k.commission, 0) AS more_commission
    FROM l LEFT JOIN earned e ON e.id = l.contract_id LEFT JOIN sat s ON s.id = l.id LEFT JOIN corrected k ON k.contract_id = l.contract_id
  ), judged AS (
    SELECT d.*, CASE jsonb_array_length(d.how -> 'targets') WHEN 0 THEN 100 ELSE (
        SELECT coalesce(sum((t ->> 'weight')::int), 0) FROM jsonb_array_elements(d.how -> 'targets') AS t
        WHERE (t ->> 'threshold')::bigint <= CASE t ->> 'metric'
          WHEN 'earnings' THEN due_earnings WHEN 'seat_days' THEN due_days ELSE due_seconds END) END AS due_weight
    FROM due d
  )
  SELECT contract_id, 'differs' AS problem FROM judged
  WHERE (earnings, seat_seconds, seat_days, weight) IS DISTINCT FROM (due_earnings, due_seconds, due_days, due_weight)
    OR salary <> coalesce(round((how #>> '{level,salary}')::numeric * due_weight / 100), 0) + more_salary
    OR commission <> trunc(greatest(due_earnings, 0) * (how ->> 'basis_points')::int / 10000) + more_commission
  ORDER BY 1 LIMIT ${namedMax}`;

const missingLines = `
  SELECT c.id AS contract_id, 'missing' AS problem
  FROM runs r JOIN agencies a ON a.time_zone = r.time_zone AND a.period = r.period
    JOIN contracts c ON c.agency_id = a.id AND c.starts_at < r.ends_at
      AND (c.ends_at IS NULL OR c.ends_at > greatest(c.starts_at, r.starts_at))
  WHERE r.id = $1 AND NOT EXISTS (SELECT FROM run_lines WHERE run_id = $1 AND contract_id = c.id)
  ORDER BY 1 LIMIT ${namedMax}`;

/** Checks a draft: it is `checked` if every line adds up, or else says which lines don't. A job calls it. */
export const checkRun = ({ run_id }: RunData, pace?: Pace): Promise<void> =>
  takeSteps(run_id, ({ status, line_count }) => status === "draft" && line_count !== null, checkSome, pace);

async function checkSome(tx: Tx, run: Run): Promise<boolean> {
  const { id, steps_done } = run;
  const before = (steps_done - parts) * linesEach;
  const find = async (statement: string, ...values: unknown[]) => {
    const problems = [...run.problems, ...(await tx.query(statement, [id, ...values]))].slice(0, namedMax);
    await RunModel.change(tx, { id }, { problems });
    return problems;
  };
  if (isToBegin(run)) {
    await RunModel.change(tx, { id }, { problems: [] });
    await beginSteps(tx, run, run.line_count!);
  } else if (before < 0) await addPart(tx, run, partByTimes(run), addEarned);
  else if (before < run.line_count!) {
    await find(wrongLines, before);
    await endStep(tx, run);
  } else {
    if ((await find(missingLines)).length === 0) await RunModel.change(tx, { id }, { status: "checked" });
    await endSteps(tx, run);
    return true;
  }
  return false;
}
