import { setTimeout as pause } from "node:timers/promises";
import { type JobResult, type JobWithMetadata, PgBoss } from "pg-boss";
import { assert } from "#shared/kernel/assert.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { jobsSchema } from "./install-jobs.ts";
import { query } from "./query.ts";
import { databaseUrl } from "./sequelize.ts";
import type { Tx } from "./transaction.ts";

/**
 * Background jobs: work that is asked for in a transaction and done after its commit, at least once, by a process with the
 * role `jobs`. A job that was in work when its process died is done again.
 */
export interface JobOptions {
  /** How often a job that failed runs again, after 1, 2, 4 … seconds. Then it lies in the queue of the dead. */
  readonly retries: number;
  /** The longest pause between two tries, seconds. */
  readonly retryMaxSeconds: number;
  /** When a run counts as failed, seconds. */
  readonly timeoutSeconds: number;
  /** At most one such job waits or runs in the whole service; asking for another meanwhile does nothing. */
  readonly exclusive?: true;
}

/** A kind of job. `Data` must survive JSON. */
export interface JobKind<Data extends object> extends JobOptions {
  readonly name: string;
  /** Never there; keeps the type of the data. */
  readonly data?: Data;
}

export interface EnqueueOptions {
  /** Seconds to wait after the commit. */
  readonly afterSeconds?: number;
  /** For a week, a second job with the same id is not enqueued. */
  readonly id?: string;
}

/** Connections that the jobs of one process hold beside the pool: one to read what queues there are, one more to work. */
const connections = { ask: 1, work: 2 };
/** The net under the wake after each commit: how often a worker looks by itself, seconds. */
const pollSeconds = 1;
const batchSize = 20;
/** How much longer than our own timeout pg-boss waits before it takes the process for dead. */
const expiryMarginSeconds = 15;
/** How long a stop waits for jobs in work, milliseconds. */
const stopWithinMs = 8000;
const deadLetters = "dead_letters";
/** How long whoever asks for the metrics waits for the database, milliseconds. */
const observeWithinMs = 1000;

const kinds = new Map<string, JobKind<object>>();

/** Declares a kind of job; called when a module is loaded, before jobs are started. */
export function defineJob<Data extends object>(name: string, options: JobOptions): JobKind<Data> {
  assert(!kinds.has(name), `job ${name} is defined once`);
  const kind = { name, ...options };
  kinds.set(name, kind);
  return kind;
}

/** The jobs of a process. There is one, below; a test makes another, which is like another process. */
export class Jobs {
  readonly #connectionName: string;
  #boss: PgBoss | undefined;
  readonly #workers = new Map<string, string>();

  /** `connectionName` is what the database's list of connections shows. */
  constructor(connectionName: string) {
    this.#connectionName = connectionName;
  }

  /** Makes jobs possible in this process; with `work` also working on them. After `openDatabase`. */
  async start({ work, timed = work }: { work: boolean; timed?: boolean }): Promise<void> {
    assert(!this.#boss, "jobs are started once");
    const boss = new PgBoss({
      connectionString: databaseUrl(),
      application_name: this.#connectionName,
      schema: jobsSchema,
      max: work ? connections.work : connections.ask,
      connectionTimeoutMillis: 5000,
      migrate: work,
      supervise: work,
      schedule: timed,
    });
    boss.on("error", (error) => logger.error({ err: error }, "jobs: the queue failed"));
    boss.on("warning", ({ message, data }) => logger.warn({ data }, `jobs: ${message}`));
    try {
      await boss.start();
      await makeQueues(boss);
    } catch (error) {
      await boss.stop({ graceful: false });
      throw error;
    }
    this.#boss = boss;
  }

  /** Lets jobs in work end, for some seconds, and closes the connections. What did not end runs again later. */
  async stop(): Promise<void> {
    const boss = this.#boss;
    this.#boss = undefined;
    if (!boss) return;
    const ended = Promise.all([...this.#workers.keys()].map((name) => boss.offWork(name, { wait: true })));
    this.#workers.clear();
    await Promise.race([ended, pause(stopWithinMs, undefined, { ref: false })]);
    await boss.stop({ graceful: false });
  }

  /** Asks for a job with the commit of `tx`; called by `Tx.enqueue` only. */
  async enqueue<Data extends object>(
    tx: Pick<Tx, "query" | "afterCommit">,
    { name }: JobKind<Data>,
    data: Data,
    { afterSeconds = 0, id }: EnqueueOptions = {},
  ): Promise<void> {
    await this.#started().send(name, data, {
      db: { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) },
      ...(afterSeconds > 0 && { startAfter: afterSeconds }),
      ...(id && { id }),
    });
    tx.afterCommit(() => {
      const worker = this.#workers.get(name);
      if (worker) this.#boss?.notifyWorker(worker);
    });
  }

  /** Does the jobs of a kind, some at once. A throw makes the job run again. `handler` must be safe to run twice. */
  async workOn<Data extends object>(kind: JobKind<Data>, handler: (data: Data) => Promise<void>): Promise<void> {
    const worker = await this.#started().work(
      kind.name,
      {
        batchSize,
        burstWhenBatchFull: true,
        pollingIntervalSeconds: pollSeconds,
        includeMetadata: true,
        perJobResults: true,
      },
      (batch: JobWithMetadata<Data>[]) => Promise.all(batch.map((job) => runJob(kind, job, handler))),
    );
    this.#workers.set(kind.name, worker);
  }

  /** Runs jobs at times given as cron expressions (UTC), once for the whole service; times no longer named are forgotten. */
  async setTimetable(timetable: readonly (readonly [JobKind<object>, cron: string])[]): Promise<void> {
    const boss = this.#started();
    for (const [kind, cron] of timetable) await boss.schedule(kind.name, cron);
    const wanted = new Set(timetable.map(([kind]) => kind.name));
    for (const { name } of await boss.getSchedules()) if (!wanted.has(name)) await boss.unschedule(name);
  }

  #started(): PgBoss {
    assert(this.#boss, "jobs are started");
    return this.#boss;
  }
}

/** The jobs of this process. */
export const jobs = new Jobs("hubbub jobs");

/** Counts the dead for the metrics. While the database is away the last count stays. */
export async function observeJobs(): Promise<void> {
  const counted = query<{ dead: number }>(`SELECT count(*) AS dead FROM ${jobsSchema}.job WHERE name = $1`, [
    deadLetters,
  ])
    .then(([row]) => metrics.deadJobs.set(row!.dead))
    .catch((error: unknown) => logger.warn({ err: error }, "jobs: the dead could not be counted"));
  await Promise.race([counted, pause(observeWithinMs, undefined, { ref: false })]);
}

async function makeQueues(boss: PgBoss): Promise<void> {
  const present = new Set((await boss.getQueues()).map(({ name }) => name));
  if (!present.has(deadLetters)) await boss.createQueue(deadLetters);
  for (const { name, retries, retryMaxSeconds, timeoutSeconds, exclusive } of kinds.values()) {
    const options = {
      retryLimit: retries,
      retryDelay: 1,
      retryBackoff: true,
      retryDelayMax: retryMaxSeconds,
      expireInSeconds: Math.ceil(timeoutSeconds) + expiryMarginSeconds,
      deadLetter: deadLetters,
    };
    if (present.has(name)) await boss.updateQueue(name, options);
    else await boss.createQueue(name, { ...options, policy: exclusive ? "exclusive" : "standard" });
  }
}

async function runJob<Data extends object>(
  kind: JobKind<Data>,
  job: JobWithMetadata<Data>,
  handler: (data: Data) => Promise<void>,
): Promise<JobResult> {
  try {
    await within(kind.timeoutSeconds, handler(job.data ?? {}));
    metrics.jobs.inc({ job: kind.name, outcome: "done" });
    return { id: job.id, status: "completed" };
  } catch (error) {
    const dead = job.retryCount >= job.retryLimit;
    metrics.jobs.inc({ job: kind.name, outcome: dead ? "dead" : "failed" });
    const about = { err: error, job: kind.name, id: job.id, tries: job.retryCount + 1 };
    if (dead) logger.error(about, "job failed for the last time");
    else logger.warn(about, "job failed and will run again");
    return { id: job.id, status: "failed", output: { message: String(error) } };
  }
}

async function within(seconds: number, work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = pause(seconds * 1000, undefined, { signal: timer.signal }).then(() => {
    throw new Error(`not done within ${seconds} s`);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    timer.abort();
    await late.catch(() => undefined); // Only the race's outcome counts.
  }
}
