import { defineJob } from "#shared/db/jobs.ts";
import type { RowOf } from "#shared/db/model.ts";
import { liftTimeouts } from "#shared/db/query.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { counted, reachedLevel, satDays, weighed } from "./measures.ts";
import { RunModel } from "./run.model.ts";

/** What a step of a run takes: its work is done by a job, because it reads all gifts of a period. */
export interface RunData {
  readonly run_id: string;
}

export const computeJob = defineJob<RunData>("run.compute", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 1800 });

/** Step: locks a run. */
export const lockRun = (tx: Tx, id: string): Promise<RowOf<typeof RunModel> | undefined> => RunModel.lock(tx, { id });

/** IDs and times of entries come from two clocks. */
const marginMs = 3_600_000;

/** Returns the bounds of the IDs of ledger entries of a period, which are in the order of time. */
export const idsOf = ({
  starts_at,
  ends_at,
}: {
  readonly starts_at: string;
  readonly ends_at: string;
}): [string, string] => [firstIdAt(Date.parse(starts_at) - marginMs), firstIdAt(Date.parse(ends_at) + marginMs)];

/**
 * Step: takes back what has been computed: the corrections wait again. `$1`: the run. Two statements, in this order.
 */
export async function clearLines(tx: Tx, runId: string): Promise<void> {
  await tx.query("UPDATE run_corrections SET run_id = NULL WHERE run_id = $1", [runId]);
  await tx.query("DELETE FROM run_lines WHERE run_id = $1", [runId]);
}

/**
 * A line for each contract that held in the period, or has a pending correction. What counts is what its host earned
 * and sat while it held. One pass over the entries of the period by their IDs, and one over the sessions by their end.
 * `$1`: run; `$2`, `$3`: period; `$4`: zone; `$5`: kind of period; `$6`, `$7`: IDs of entries.
 */
const insertLines = `
  WITH covered AS MATERIALIZED (
    SELECT c.id, c.host_id, c.agency_id, a.owner_id, a.status = 'active' AND a.retired_at IS NULL AS active,
      CASE WHEN a.status = 'active' AND a.retired_at IS NULL THEN c.commission_basis_points ELSE 0 END AS basis_points,
      greatest(c.starts_at, $2::timestamptz) AS since, least(c.ends_at, $3::timestamptz) AS until,
      p.id AS plan_id, p.version AS plan_version, coalesce(p.day_minutes, 0) AS day_minutes,
      coalesce(p.targets, '[]') AS targets, coalesce(p.levels, '[]') AS levels
    FROM contracts c JOIN agencies a ON a.id = c.agency_id AND a.time_zone = $4 AND a.period = $5
      LEFT JOIN agency_plans p ON p.id = a.plan_id
    WHERE c.starts_at < $3 AND (c.ends_at IS NULL OR c.ends_at > greatest(c.starts_at, $2))
      OR EXISTS (SELECT FROM run_corrections k WHERE k.contract_id = c.id AND k.run_id IS NULL)
  ), earned AS (
    SELECT v.id, sum(e.amount)::bigint AS earnings FROM ledger_entries e
      JOIN covered v ON v.host_id = e.user_id AND e.created_at >= v.since AND e.created_at < v.until
    WHERE ${counted} AND e.id >= $6 AND e.id < $7 GROUP BY v.id
  ), ${satDays}
  measured AS (
    SELECT v.*, coalesce(e.earnings, 0) AS earnings, coalesce(s.seconds, 0) AS seconds, coalesce(s.days, 0) AS seat_days
    FROM covered v LEFT JOIN earned e USING (id) LEFT JOIN sat s USING (id)
  )
  INSERT INTO run_lines (id, run_id, contract_id, agency_id, host_id, owner_id, earnings, seat_seconds, seat_days, weight,
    level, salary, commission, how)
  SELECT md5($1::uuid::text || m.id)::uuid, $1, m.id, m.agency_id, m.host_id, m.owner_id, m.earnings, m.seconds, m.seat_days, w.weight,
    l.level ->> 'name', coalesce((l.level ->> 'salary')::numeric * w.weight / 100, 0)::bigint,
    div(greatest(m.earnings, 0)::numeric * m.basis_points, 10000)::bigint,
    jsonb_build_object('since', m.since, 'until', m.until, 'plan_id', m.plan_id, 'plan_version', m.plan_version,
      'day_minutes', m.day_minutes, 'targets', m.targets, 'level', l.level, 'basis_points', m.basis_points)
  FROM measured m
    ${weighed}
    ${reachedLevel}`;

/** Adds corrections to the lines that they don't make negative. The others wait for a later line. */
const takeCorrections = `
  WITH due AS (
    SELECT contract_id, sum(salary)::bigint AS salary, sum(commission)::bigint AS commission FROM run_corrections
    WHERE run_id IS NULL GROUP BY contract_id
  ), taken AS (
    UPDATE run_lines l SET salary = l.salary + d.salary, commission = l.commission + d.commission,
      how = l.how || jsonb_build_object('corrections', jsonb_build_object('salary', d.salary, 'commission', d.commission))
    FROM due d WHERE l.run_id = $1 AND l.contract_id = d.contract_id
      AND l.salary + d.salary >= 0 AND l.commission + d.commission >= 0
    RETURNING l.contract_id
  )
  UPDATE run_corrections SET run_id = $1 WHERE run_id IS NULL AND contract_id IN (SELECT contract_id FROM taken)`;

/** The hash of all lines, without their IDs, in the order of contracts: equal whenever what was computed is. */
const addUp = `
  UPDATE runs SET (line_count, salaries, commissions, hash) = (
    SELECT count(*), coalesce(sum(salary), 0), coalesce(sum(commission), 0), encode(sha256(convert_to(coalesce(string_agg(
      md5(concat_ws('|', contract_id, agency_id, host_id, owner_id, earnings, seat_seconds, seat_days, weight, coalesce(level, ''),
        salary, commission, how)), '' ORDER BY contract_id), ''), 'UTF8')), 'hex')
    FROM run_lines WHERE run_id = $1
  ) WHERE id = $1`;

/** Computes the lines of a draft, again if it has some: the same facts give the same lines. A job calls it. */
export const computeRun = ({ run_id }: RunData): Promise<void> =>
  inTransaction(async (tx) => {
    await liftTimeouts();
    // Times in JSON are UTC, whatever the server's zone.
    await tx.query("SET LOCAL timezone = 'UTC'");
    const run = await lockRun(tx, run_id);
    if (run?.status !== "draft") return;
    await clearLines(tx, run_id);
    const { starts_at, ends_at, time_zone, period } = run;
    await tx.query(insertLines, [run_id, starts_at, ends_at, time_zone, period, ...idsOf(run)]);
    await tx.query(takeCorrections, [run_id]);
    await tx.query(addUp, [run_id]);
  });
