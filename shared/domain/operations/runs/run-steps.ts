import { setTimeout as pause } from "node:timers/promises";
import type { RowOf } from "#shared/db/model.ts";
import { liftTimeouts } from "#shared/db/query.ts";
import { onBackgroundPool } from "#shared/db/sequelize.ts";
import { inTransaction, type Tx } from "#shared/db/transaction.ts";
import { firstIdAt } from "#shared/kernel/ids.ts";
import { counted } from "./measures.ts";
import { RunModel } from "./run.model.ts";

/** What a job of a run takes: its work is done by a job, because it reads all gifts of a period. */
export interface RunData {
  readonly run_id: string;
}

export type Run = RowOf<typeof RunModel>;

/** Steps that read a part of the period's entries each, before others make lines. */
export const parts = 4;

/** Lines of a step. */
export const linesEach = 5000;

/** What another release may have cut otherwise. */
const stepSizes = `${parts} ${linesEach}`;

/** Whether no step of the job was taken, or steps of other sizes. */
export const isToBegin = ({ steps, step_sizes }: Run): boolean => !steps || step_sizes !== stepSizes;

/** How long a transaction takes further steps, milliseconds, and the most transactions, by default all. */
export interface Pace {
  readonly forMs?: number;
  readonly most?: number;
}

/** IDs and times of entries come from two clocks. */
const marginMs = 3_600_000;

/**
 * Times in JSON are UTC, whatever the server's zone. Nothing is known yet of how many lines a new run has, and all
 * joins are of many rows. A plan for any values expects few entries of a part: it would sort and hash millions on the
 * disk. One of the machine's cores is enough: gifts go on.
 */
const settings = `SELECT set_config('timezone', 'UTC', true), set_config('enable_nestloop', 'off', true),
  set_config('plan_cache_mode', 'force_custom_plan', true),
  set_config('work_mem', '32MB', true), set_config('max_parallel_workers_per_gather', '0', true)`;

/** Step: locks a run. */
export const lockRun = (tx: Tx, id: string): Promise<Run | undefined> => RunModel.lock(tx, { id });

/**
 * Takes the steps of a job, some in each transaction, until it isn't due or a step returns true, as the last one does.
 * What a transaction did can be seen, and another call goes on from there.
 */
export async function takeSteps(
  runId: string,
  isDue: (run: Run) => boolean,
  step: (tx: Tx, run: Run) => Promise<boolean>,
  { forMs = 500, most = Number.POSITIVE_INFINITY }: Pace = {},
): Promise<void> {
  const takeSome = () =>
    inTransaction(async (tx) => {
      await liftTimeouts();
      await tx.query(settings);
      const untilMs = performance.now() + forMs;
      do {
        const run = await lockRun(tx, runId);
        if (!run || !isDue(run) || (await step(tx, run))) return false;
      } while (performance.now() < untilMs);
      return true;
    });
  for (let done = 0; done < most && (await resting(() => onBackgroundPool(takeSome))); done += 1);
}

/** How long a job rests whose end someone waits for, as a part of how long it has worked. */
const restPart = 0.8;

/**
 * Does some work of a job and rests after it, so that gifts get the machine to themselves now and then.
 * @param part how long it rests, as a part of how long it has worked
 */
export async function resting<T>(work: () => Promise<T>, part = restPart): Promise<T> {
  const startedMs = performance.now();
  const result = await work();
  await pause((performance.now() - startedMs) * part);
  return result;
}

/** Step: begins a job, whose steps read a part of the period each, and then some lines each. */
export async function beginSteps(tx: Tx, run: Run, lines: number): Promise<void> {
  await tx.query("DELETE FROM run_sums WHERE run_id = $1", [run.id]);
  const steps = parts + Math.ceil(lines / linesEach);
  await RunModel.change(tx, { id: run.id }, { steps, steps_done: 0, step_sizes: stepSizes });
}

/** Step: notes that a step is done. */
export const endStep = (tx: Tx, { id, steps_done }: Run): Promise<unknown> =>
  RunModel.change(tx, { id }, { steps_done: steps_done + 1 });

/** Step: notes that the last step is done. */
export async function endSteps(tx: Tx, { id }: Run): Promise<void> {
  await tx.query("DELETE FROM run_sums WHERE run_id = $1", [id]);
  await RunModel.change(tx, { id }, { steps: null, steps_done: 0 });
}

/**
 * SQL: the entries that count, of the part that a step reads. An index has them together, those of a host apart:
 * `OFFSET 0` keeps the planner from looking them up by host. `$2`, `$3`: their IDs; `$4`, `$5`: their times.
 */
export const entriesOfPart = `(
    SELECT user_id, amount, created_at FROM ledger_entries e
    WHERE ${counted} AND user_id IS NOT NULL AND id >= $2 AND id < $3 AND created_at >= $4 AND created_at < $5 OFFSET 0
  )`;

/** SQL: the `id` of contracts, and the `amount` that each has earned in the parts that were read. `$1`: run. */
export const summedUp =
  "SELECT s.id, s.amount FROM run_sums, unnest(contract_ids, amounts) AS s (id, amount) WHERE run_id = $1";

/** SQL that adds to the sums of a run. `added`: the `id` of contracts and the `amount`, from `entriesOfPart`. */
export const addingSums = (added: string): string => `
  WITH added AS (${added}), summed AS (
    SELECT id, sum(amount)::bigint AS amount FROM (TABLE added UNION ALL ${summedUp}) AS s GROUP BY id
  )
  INSERT INTO run_sums (run_id, contract_ids, amounts) SELECT $1, array_agg(id), array_agg(amount) FROM summed HAVING count(*) > 0
  ON CONFLICT (run_id) DO UPDATE SET contract_ids = EXCLUDED.contract_ids, amounts = EXCLUDED.amounts`;

/** Which entries are of a part: milliseconds since 1970 of their IDs and of their times. */
export interface Part {
  readonly ids: readonly [from: number, to: number];
  readonly times: readonly [from: number, to: number];
}

const cutOf = (run: Run): ((part: number) => number) => {
  const [startMs, endMs] = [Date.parse(run.starts_at), Date.parse(run.ends_at)];
  return (part) => Math.floor(startMs + ((endMs - startMs) * part) / parts);
};

/** Parts without an overlap of IDs: each entry of the period has one. */
export function partByIds(run: Run): Part {
  const { steps_done: part } = run;
  const at = cutOf(run);
  const ids = [
    part === 0 ? at(0) - marginMs : at(part),
    part === parts - 1 ? at(parts) + marginMs : at(part + 1),
  ] as const;
  return { ids, times: [at(0), at(parts)] };
}

/** Parts without an overlap of times. */
export function partByTimes(run: Run): Part {
  const at = cutOf(run);
  const times = [at(run.steps_done), at(run.steps_done + 1)] as const;
  return { ids: [times[0] - marginMs, times[1] + marginMs], times };
}

/** Step: reads the next part of the period, by a statement of `addingSums` with further values from `$6` on. */
export async function addPart(
  tx: Tx,
  run: Run,
  { ids, times }: Part,
  adding: string,
  more: readonly unknown[] = [],
): Promise<void> {
  const between = [...ids.map(firstIdAt), ...times.map((ms) => new Date(ms).toISOString())];
  await tx.query(adding, [run.id, ...between, ...more]);
  await endStep(tx, run);
}
