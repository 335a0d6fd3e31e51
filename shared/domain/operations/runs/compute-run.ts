import { defineJob } from "#shared/db/jobs.ts";
import type { Tx } from "#shared/db/transaction.ts";
import { reachedLevel, satDays, weighed } from "./measures.ts";
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
  partByIds,
  parts,
  type Run,
  type RunData,
  summedUp,
  takeSteps,
} from "./run-steps.ts";

export const computeJob = defineJob<RunData>("run.compute", { retries: 3, retryMaxSeconds: 60, timeoutSeconds: 1800 });

/**
 * Step: takes back what has been computed: the corrections wait again. `$1`: the run. Two statements, in this order.
 */
export async function clearLines(tx: Tx, runId: string): Promise<void> {
  await tx.query("UPDATE run_corrections SET run_id = NULL WHERE run_id = $1", [runId]);
  await tx.query("DELETE FROM run_lines WHERE run_id = $1", [runId]);
}

/**
 * What hosts earned while their contracts held. Most contracts hold for the whole period, so entries are added up by
 * host first: only those of hosts with a contract that began or ended in it are looked at one by one. No two contracts
 * of a host hold at once. `$6`: zone; `$7`: kind of period.
 */
const addEarned = addingSums(`
  WITH held AS MATERIALIZED (
    SELECT c.id, c.host_id, c.starts_at, c.ends_at, c.starts_at <= $4 AND (c.ends_at IS NULL OR c.ends_at >= $5) AS throughout
    FROM contracts c JOIN agencies a ON a.id = c.agency_id AND a.time_zone = $6 AND a.period = $7
    WHERE c.starts_at < $5 AND (c.ends_at IS NULL OR c.ends_at > $4)
  ), earned AS (
    SELECT e.user_id, h.id, sum(e.amount)::bigint AS amount
    FROM ${entriesOfPart} e LEFT JOIN held h ON NOT h.throughout AND h.host_id = e.user_id
      AND e.created_at >= h.starts_at AND (h.ends_at IS NULL OR e.created_at < h.ends_at)
    GROUP BY 1, 2
  )
  SELECT id, amount FROM earned WHERE id IS NOT NULL
  UNION ALL SELECT h.id, e.amount FROM earned e JOIN held h ON h.throughout AND h.host_id = e.user_id WHERE e.id IS NULL`);

/**
 * SQL: the contracts `c` that held in the period, or have a pending correction. Each one's agency is looked up, so that
 * the first some of them are read and no others.
 */
const coveredContracts = `contracts c
    WHERE (c.starts_at < $3 AND (c.ends_at IS NULL OR c.ends_at > greatest(c.starts_at, $2))
        OR EXISTS (SELECT FROM run_corrections k WHERE k.contract_id = c.id AND k.run_id IS NULL))
      AND (SELECT a.time_zone = $4 AND a.period = $5 FROM agencies a WHERE a.id = c.agency_id)`;

const countCovered = `SELECT count(*) FROM ${coveredContracts} AND $1::uuid IS NOT NULL`;

/**
 * A line for each of the next contracts that are covered. What counts is what its host earned and sat while it held.
 * Returns how many. `$1`: run; `$2`, `$3`: period; `$4`: zone; `$5`: kind of period.
 */
const insertLines = `
  WITH covered AS MATERIALIZED (
    SELECT c.id, c.host_id, c.agency_id, a.owner_id, a.status = 'active' AND a.retired_at IS NULL AS active,
      CASE WHEN a.status = 'active' AND a.retired_at IS NULL THEN c.commission_basis_points ELSE 0 END AS basis_points,
      greatest(c.starts_at, $2::timestamptz) AS since, least(c.ends_at, $3::timestamptz) AS until,
      p.id AS plan_id, p.version AS plan_version, coalesce(p.day_minutes, 0) AS day_minutes,
      coalesce(p.targets, '[]') AS targets, coalesce(p.levels, '[]') AS levels
    FROM (
      SELECT * FROM ${coveredContracts} AND c.id > coalesce(
        (SELECT contract_id FROM run_lines WHERE run_id = $1 ORDER BY contract_id DESC LIMIT 1), '00000000-0000-0000-0000-000000000000')
      ORDER BY c.id LIMIT ${linesEach}
    ) AS c JOIN agencies a ON a.id = c.agency_id LEFT JOIN agency_plans p ON p.id = a.plan_id
  ), earned AS (
    ${summedUp} AND s.id BETWEEN (SELECT id FROM covered ORDER BY id LIMIT 1) AND (SELECT id FROM covered ORDER BY id DESC LIMIT 1)
  ), ${satDays()}
  measured AS (
    SELECT v.*, coalesce(e.amount, 0) AS earnings, coalesce(s.seconds, 0) AS seconds, coalesce(s.days, 0) AS seat_days
    FROM covered v LEFT JOIN earned e USING (id) LEFT JOIN sat s USING (id)
  ), inserted AS (
    INSERT INTO run_lines (id, run_id, contract_id, agency_id, host_id, owner_id, earnings, seat_seconds, seat_days, weight,
      level, salary, commission, how)
    SELECT md5($1::uuid::text || m.id)::uuid, $1, m.id, m.agency_id, m.host_id, m.owner_id, m.earnings, m.seconds, m.seat_days, w.weight,
      l.level ->> 'name', coalesce((l.level ->> 'salary')::numeric * w.weight / 100, 0)::bigint,
      div(greatest(m.earnings, 0)::numeric * m.basis_points, 10000)::bigint,
      jsonb_build_object('since', m.since, 'until', m.until, 'plan_id', m.plan_id, 'plan_version', m.plan_version,
        'day_minutes', m.day_minutes, 'targets', m.targets, 'level', l.level, 'basis_points', m.basis_points)
    FROM measured m
      ${weighed}
      ${reachedLevel}
    RETURNING 1
  )
  SELECT count(*) FROM inserted`;

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

/** Computes the lines of a draft that has none: the same facts give the same lines. A job calls it. */
export const computeRun = ({ run_id }: RunData, pace?: Pace): Promise<void> =>
  takeSteps(run_id, ({ status, line_count }) => status === "draft" && line_count === null, computeSome, pace);

async function computeSome(tx: Tx, run: Run): Promise<boolean> {
  const { id, starts_at, ends_at, time_zone, period, steps_done } = run;
  const covered = [id, starts_at, ends_at, time_zone, period];
  const countOf = async (statement: string) => (await tx.query<{ count: number }>(statement, covered))[0]!.count;
  if (isToBegin(run)) {
    await clearLines(tx, id);
    await beginSteps(tx, run, await countOf(countCovered));
  } else if (steps_done < parts) await addPart(tx, run, partByIds(run), addEarned, [time_zone, period]);
  else if ((await countOf(insertLines)) > 0) await endStep(tx, run);
  else {
    await tx.query(takeCorrections, [id]);
    await tx.query(addUp, [id]);
    await endSteps(tx, run);
    return true;
  }
  return false;
}
