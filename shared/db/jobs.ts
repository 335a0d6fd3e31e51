import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import type { DeadJob } from "#shared/contracts/views.ts";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Page, PageQuery } from "#shared/kernel/page.ts";
import { SpanKind, traced, traceparent } from "#shared/kernel/tracing.ts";
import { atMost, within } from "#shared/kernel/within.ts";
import { databaseUrl } from "./database-address.ts";
import { jobsSchema } from "./install-jobs.ts";
import { PrimaryClient } from "./pg-internals.ts";
import { query } from "./query.ts";
import { queryPage } from "./query-page.ts";
import { patienceOptions } from "./server-settings.ts";
import type { Tx } from "./transaction.ts";
import { waitingIn, watchQueues } from "./watch-queues.ts";

/**
 * Background jobs: enqueued by a transaction, and run after its commit, at least once, by a process with the role
 * `jobs`. A job that was running when its process died runs again.
 */
export interface JobOptions {
  /** The maximum number of retries of a failed job, after 1, 2, 4 … seconds. Then it goes to the dead-letter queue. */
  readonly retries: number;
  /** The longest delay between retries, seconds. */
  readonly retryMaxSeconds: number;
  /** After how long a run counts as failed, seconds. */
  readonly timeoutSeconds: number;
  /** At most one such job waits or runs in the whole service; enqueuing another meanwhile does nothing. */
  readonly exclusive?: true;
  /** How many of these a process runs at once; 20 by default. It begins others when all of them have ended. */
  readonly atOnce?: number;
}

/** A kind of job. `Data` must survive JSON. */
export interface JobKind<Data extends object> extends JobOptions {
  readonly name: string;
  /** Never set; carries the type of the data. */
  readonly data?: Data;
}

export interface EnqueueOptions {
  /** Seconds to wait after the commit. */
  readonly afterSeconds?: number;
  /** Of the jobs that wait, those with the highest priority begin first; 0 by default. */
  readonly priority?: number;
  /** A second job with the same ID isn't enqueued within a week. */
  readonly id?: string;
}

/** Connections of a process's jobs beside the pool: one to read the queues, one more to work. */
export const jobConnections = { ask: 1, work: 2 };
/** The interval of a worker's own polls, seconds. What they would find before, `watchQueues` finds. */
const pollEachSeconds = 60;
const defaultAtOnce = 20;
/**
 * After how long without a sign of life from the process of a running job it runs again, at the latest. Processes look
 * for such jobs every `superviseSeconds`, and when they start.
 */
const heartbeatSeconds = 20;
const superviseSeconds = 30;
/** How much longer than our own timeout pg-boss waits before it considers the process dead, seconds. */
const expiryMarginSeconds = 15;
/** How long a stop waits for running jobs, milliseconds. */
const stopWithinMs = 8000;
const deadLetters = "dead_letters";
/** How long `/metrics` waits for the database, milliseconds. */
const observeWithinMs = 1000;

const kinds = new Map<string, JobKind<object>>();

/** Declares a kind of job; called when a module loads, before jobs start. */
export function defineJob<Data extends object>(name: string, options: JobOptions): JobKind<Data> {
  assert(!kinds.has(name), `job ${name} is defined once`);
  const kind = { name, ...options };
  kinds.set(name, kind);
  return kind;
}

/** The jobs of a process. There is one, below; tests create others, which act like other processes. */
export class Jobs {
  readonly #connectionName: string;
  #boss: PgBoss | undefined;
  readonly #workers = new Map<string, string>();
  #endWatch = () => {};

  /** `connectionName` is shown in the database's list of connections. */
  constructor(connectionName: string) {
    this.#connectionName = connectionName;
  }

  /** Lets this process enqueue jobs; with `work`, also run them. Called after `openDatabase`. */
  async start({ work, timed = work }: { work: boolean; timed?: boolean }): Promise<void> {
    assert(!this.#boss, "jobs are started once");
    const boss = new PgBoss({
      connectionString: databaseUrl(),
      application_name: this.#connectionName,
      schema: jobsSchema,
      max: work ? jobConnections.work : jobConnections.ask,
      ...{ ...patienceOptions, Client: PrimaryClient },
      migrate: false, // Migrations do that, without a limit of time.
      supervise: work,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
      schedule: timed,
    });
    boss.on("error", (error) => logger.error({ err: error }, "job queue failed"));
    boss.on("warning", ({ message, data }) => logger.warn({ data }, `job queue: ${message}`));

    try {
      await boss.start();
      await makeQueues(boss);
      if (work) await boss.supervise();
    } catch (error) {
      await boss.stop({ graceful: false });
      throw error;
    }
    this.#boss = boss;
    const names = () => [...this.#workers.keys()];
    if (work) this.#endWatch = watchQueues(boss.getDb(), names, (name) => this.#wake(name));
  }

  /** Waits some seconds for running jobs, and closes the connections. Jobs that have not ended run again later. */
  async stop(): Promise<void> {
    const boss = this.#boss;
    this.#boss = undefined;
    if (!boss) return;

    this.#endWatch();
    const ended = Promise.all([...this.#workers.keys()].map((name) => boss.offWork(name, { wait: true })));
    this.#workers.clear();
    await atMost(stopWithinMs, ended);
    await boss.stop({ graceful: false });
  }

  /** Enqueues a job with the commit of `tx`; called by `Tx.enqueue` only. */
  async enqueue<Data extends object>(
    tx: Pick<Tx, "query" | "afterCommit">,
    { name }: JobKind<Data>,
    data: Data,
    { afterSeconds = 0, priority = 0, id }: EnqueueOptions = {},
  ): Promise<void> {
    // A job belongs to the trace of the call that enqueued it.
    await this.#started().send(
      name,
      { ...data, ...traceparent() },
      {
        db: { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) },
        ...(afterSeconds > 0 && { startAfter: afterSeconds }),
        priority,
        ...(id && { id }),
      },
    );

    tx.afterCommit(() => this.#wake(name));
  }

  /** Has this process look for jobs of a kind now, if it runs them. */
  #wake(name: string): void {
    const worker = this.#workers.get(name);
    if (worker) this.#boss?.notifyWorker(worker);
  }

  /** Runs the jobs of a kind, some at once. A throw makes the job run again. `handler` must be safe to run twice. */
  async workOn<Data extends object>(kind: JobKind<Data>, handler: (data: Data) => Promise<void>): Promise<void> {
    const worker = await this.#started().work(
      kind.name,
      {
        batchSize: kind.atOnce ?? defaultAtOnce,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: pollEachSeconds,
        includeMetadata: true,
        perJobResults: true,
      },
      (batch: JobWithMetadata<Data>[]) => Promise.all(batch.map((job) => runJob(kind, job, handler))),
    );
    this.#workers.set(kind.name, worker);
  }

  /**
   * Schedules jobs by cron expressions (UTC), once for the whole service. Removes schedules that are no longer listed.
   */
  async setTimetable(timetable: readonly (readonly [JobKind<object>, cron: string])[]): Promise<void> {
    const boss = this.#started();
    const present = new Map((await boss.getSchedules()).map(({ name, cron }) => [name, cron]));
    const wanted = new Map(timetable.map(([kind, cron]) => [kind.name, cron]));
    for (const [name, cron] of wanted) if (present.get(name) !== cron) await boss.schedule(name, cron);
    for (const name of present.keys()) if (!wanted.has(name)) await boss.unschedule(name);
  }

  /**
   * Enqueues a dead-lettered job again with the commit of `tx`. An exclusive job of which another waits or runs is only
   * removed: as when it is enqueued, that one does its work.
   */
  async retryDead(
    tx: Pick<Tx, "query" | "afterCommit">,
    id: string,
  ): Promise<"enqueued" | "not found" | "kind unknown"> {
    const [dead] = await tx.query<{ job: string }>(
      `SELECT source_name AS job FROM ${waitingIn} = $1 AND id = $2 FOR UPDATE`,
      [deadLetters, id],
    );
    if (!dead) return "not found";
    if (!kinds.has(dead.job)) return "kind unknown";

    const moved = await this.#started().redrive(deadLetters, {
      ids: [id],
      db: { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) },
    });
    if (moved > 0) tx.afterCommit(() => this.#wake(dead.job));
    else await tx.query(`DELETE FROM ${jobsSchema}.job WHERE name = $1 AND id = $2`, [deadLetters, id]);
    return "enqueued";
  }

  #started(): PgBoss {
    assert(this.#boss, "jobs are started");
    return this.#boss;
  }
}

/** The jobs of this process. */
export const jobs = new Jobs("hubbub jobs");

/** Counts the jobs that wait and the dead-lettered ones, each up to 10,000. */
export async function countJobs(): Promise<{ waiting: number; dead: number }> {
  const count = (condition: string) =>
    `(SELECT count(*) FROM (SELECT 1 FROM ${waitingIn} ${condition} LIMIT 10000) AS counted)`;
  const [counted] = await query<{ waiting: number; dead: number }>(
    `SELECT ${count("<> $1")} AS waiting, ${count("= $1")} AS dead`,
    [deadLetters],
  );
  return counted!;
}

/** Returns a page of the dead-lettered jobs, newest first, without their data. */
export const listDeadJobs = (page: PageQuery): Promise<Page<DeadJob>> =>
  queryPage<DeadJob>(
    {
      count: `SELECT count(*) FROM (SELECT 1 FROM ${waitingIn} = $1 LIMIT 10000) AS counted`,
      rows: `SELECT id, coalesce(source_name, '') AS job, coalesce(source_retry_count, 0) + 1 AS tries,
          left(coalesce(source_output->>'message', source_output::text, ''), 500) AS error,
          coalesce(source_created_on, created_on) AS created_at, created_on AS died_at
        FROM ${waitingIn} = $1 ORDER BY created_on DESC, id LIMIT $2 OFFSET $3`,
    },
    [deadLetters],
    page,
  );

/** Counts dead-lettered jobs for the metrics. While the database is unreachable, the last count stays. */
export async function observeJobs(): Promise<void> {
  const counted = query<{ dead: number }>(`SELECT count(*) AS dead FROM ${jobsSchema}.job WHERE name = $1`, [
    deadLetters,
  ])
    .then(([row]) => metrics.deadJobs.set(row!.dead))
    .catch((error: unknown) => logger.warn({ err: error }, "dead-lettered jobs could not be counted"));
  await atMost(observeWithinMs, counted);
}

async function makeQueues(boss: PgBoss): Promise<void> {
  const present = new Set((await boss.getQueues()).map(({ name }) => name));
  if (!present.has(deadLetters)) await boss.createQueue(deadLetters);
  const make = ({ name, retries, retryMaxSeconds, timeoutSeconds, exclusive }: JobKind<object>) => {
    const options = {
      retryLimit: retries,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: retryMaxSeconds,
      expireInSeconds: Math.ceil(timeoutSeconds) + expiryMarginSeconds,
      heartbeatSeconds,
      deadLetter: deadLetters,
    };
    if (present.has(name)) return boss.updateQueue(name, options);
    return boss.createQueue(name, { ...options, policy: exclusive ? "exclusive" : "standard" });
  };
  await Promise.all([...kinds.values()].map(make));
}

async function runJob<Data extends object>(
  kind: JobKind<Data>,
  job: JobWithMetadata<Data>,
  handler: (data: Data) => Promise<void>,
): Promise<JobResult> {
  try {
    const { timeoutSeconds } = kind;
    const { traceparent: from, ...data } = { ...job.data } as Data & { traceparent?: string };
    await traced(`job ${kind.name}`, { kind: SpanKind.CONSUMER, traceparent: from }, () =>
      within(timeoutSeconds * 1000, handler(data as unknown as Data), `job timed out after ${timeoutSeconds} s`),
    );
    metrics.jobs.inc({ job: kind.name, outcome: "done" });
    return { id: job.id, status: "completed" };
  } catch (error) {
    const dead = job.retryCount >= job.retryLimit;
    metrics.jobs.inc({ job: kind.name, outcome: dead ? "dead" : "failed" });
    const about = { err: error, job: kind.name, id: job.id, tries: job.retryCount + 1 };
    if (dead) logger.error(about, "job failed and is dead-lettered");
    else logger.warn(about, "job failed and will be retried");
    return { id: job.id, status: "failed", output: { message: String(error) } };
  }
}
