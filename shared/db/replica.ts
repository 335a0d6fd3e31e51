import { setTimeout as pause } from "node:timers/promises";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { makePool, poolSizes } from "./pools.ts";
import { query } from "./query.ts";
import { beginTransaction, isUnbound, onReplicaPool, outsideTransaction } from "./sequelize.ts";
import { sqlState } from "./transaction.ts";
import { isUnreachable } from "./unavailable.ts";

/** A streaming replica, and how long a read waits for it, milliseconds. */
export interface Replica {
  readonly url: string;
  readonly waitMs: number;
}

/** Where the primary's log is. */
interface Position {
  readonly lsn: string;
  readonly timeline: number;
  readonly system: string;
}

let replica: Replica | undefined;
/** Why reads go to the primary; undefined while the replica serves them. */
let problem: string | undefined = "it was not asked yet";
let probes: NodeJS.Timeout | undefined;
const probeEveryMs = 1000;

/** Each read is planned for its values, as those of `queryPlanned` are. */
const pool = makePool({
  max: poolSizes.replica,
  name: "hubbub replica pool",
  settings: { plan_cache_mode: "force_custom_plan" },
  replicaUrl: () => replica!.url,
});

/** Has reads use a replica whenever it can serve them. It may be away. Resolves when it has been asked once. */
export async function openReplica(named: Replica): Promise<void> {
  replica = named;
  await probe();
  probes = setInterval(() => void probe(), probeEveryMs).unref();
}

export async function closeReplica(): Promise<void> {
  if (!replica) return;
  clearInterval(probes);
  replica = undefined;
  await pool.close();
}

/**
 * What everyone has seen committed is in the primary's log up to here, written to disk, unless commits don't wait for
 * it. What isn't there yet can't reach a replica either.
 */
const positionQuery = `SELECT lsn::text, system_identifier::text AS system,
    ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int AS timeline
  FROM pg_control_system(), (SELECT CASE current_setting('synchronous_commit')
    WHEN 'off' THEN pg_current_wal_insert_lsn() ELSE pg_current_wal_flush_lsn() END AS lsn) AS here`;

const readPosition = async (): Promise<Position> =>
  (await outsideTransaction(() => query<Position & Record<string, unknown>>(positionQuery)))[0]!;

/** The read under way, and the one that follows it for those who have asked since. */
let running: Promise<Position> | undefined;
let next: Promise<Position> | undefined;

/** Returns where the primary's log is now. Calls share a read that began after each of them. */
function currentPosition(): Promise<Position> {
  const read = (): Promise<Position> => {
    next = undefined;
    const reading = readPosition().finally(() => {
      if (running === reading) running = undefined;
    });
    running = reading;
    return reading;
  };
  if (!running) return read();
  next ??= running.then(read, read);
  return next;
}

/**
 * Whether this server has executed the log up to `$1`. A server that was not promoted, but had received more than the
 * one that was, is on another timeline.
 */
const freshQuery = `SELECT pg_is_in_recovery() AS is_replica, system_identifier::text = $3 AS is_same,
    greatest(timeline_id, min_recovery_end_timeline) = $2::int AND pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_fresh,
    greatest(pg_wal_lsn_diff($1::pg_lsn, pg_last_wal_replay_lsn()), 0)::float8 AS behind
  FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery()`;

interface Freshness {
  readonly is_replica: boolean;
  readonly is_same: boolean;
  readonly is_fresh: boolean;
  /** Bytes. */
  readonly behind: number;
}

/** The replica can't serve reads, for reasons that `message` says. */
class UnfitReplica extends Error {}

/** Waits until the server of the current transaction knows what is committed. @throws UnfitReplica */
async function awaitFreshness({ lsn, timeline, system }: Position, waitMs: number): Promise<void> {
  const untilMs = performance.now() + waitMs;
  for (let restMs = 1; ; restMs = Math.min(2 * restMs, 10)) {
    const [found] = await query<Freshness & Record<string, unknown>>(freshQuery, [lsn, timeline, system]);
    const { is_replica, is_same, is_fresh, behind } = found!;
    if (!is_replica) throw new UnfitReplica("the server is no replica");
    if (!is_same) throw new UnfitReplica("the server is a replica of another database");
    metrics.replicaBehind.set(behind);
    if (is_fresh) return;
    if (performance.now() > untilMs) throw new UnfitReplica(`it is ${behind} bytes behind after ${waitMs} ms`);
    await pause(restMs);
  }
}

/** Runs reads on the replica, when it knows all that was committed before. */
async function onReplica<T>({ waitMs }: Replica, work: () => Promise<T>): Promise<T> {
  const position = await currentPosition();
  return onReplicaPool(pool, () =>
    beginTransaction(async () => {
      await awaitFreshness(position, waitMs);
      return work();
    }),
  );
}

function judge(error?: unknown): void {
  const found = error === undefined ? undefined : String((error as Error).message).slice(0, 300);
  metrics.replicaUp.set(found === undefined ? 1 : 0);
  if (found === undefined && problem !== undefined) logger.info("the replica serves reads");
  if (found !== undefined && problem === undefined) logger.warn({ problem: found }, "the replica serves no reads");
  problem = found;
}

async function probe(): Promise<void> {
  const asked = replica;
  if (!asked) return;
  await onReplica(asked, async () => undefined).then(
    () => judge(),
    (error: unknown) => judge(error),
  );
}

/** Throws why the replica doesn't serve reads. Undefined without one. */
export const replicaCheck = (): (() => Promise<void>) | undefined =>
  replica &&
  (async () => {
    await probe();
    if (problem !== undefined) throw new Error(problem);
  });

/** A condition on a table that replicas don't have, because it isn't logged, and what replaces it. */
interface Lacking {
  readonly condition: string;
  readonly complete: (rows: readonly object[]) => Promise<void>;
}
const lacking: Lacking[] = [];

/**
 * Says how a replica serves statements with a condition that only the primary can judge: there it reads `true`, and
 * `complete` corrects the rows. Returns the condition.
 */
export function judgedByPrimary(condition: string, complete: Lacking["complete"]): string {
  lacking.push({ condition, complete });
  return condition;
}

/** Statements that only the primary can execute. */
const primaryOnly = new Set<string>();
/** A table that isn't logged. */
const unsupported = "0A000";
/** What a replica executes of the log conflicts with a statement. */
const conflict = "40001";
/** The server ends connections, or has too many. */
const ending = /^(?:08|53|57P)/;

type Read = typeof query;

/**
 * Like `query`, for reads that a replica may serve: lists, searches, and what the console shows. It is never older than
 * what was committed before the call, by anyone, in any process. If the replica is behind or away, or the
 * caller is in a transaction, the primary serves it. What decides about money or rights always asks the primary.
 * `onPrimary` runs the statement there.
 */
export async function queryAnywhere<Row extends object = Record<string, unknown>>(
  text: string,
  values: readonly unknown[] = [],
  onPrimary: Read = query,
): Promise<Row[]> {
  if (!replica || !isUnbound()) return onPrimary<Row>(text, values);
  if (problem === undefined && !primaryOnly.has(text))
    try {
      const rows = await readThere<Row>(replica, text, values);
      metrics.replicaReads.inc({ server: "replica" });
      return rows;
    } catch (error) {
      const state = sqlState(error) ?? "";
      if (state === unsupported) primaryOnly.add(text);
      else if (error instanceof UnfitReplica || ending.test(state) || isUnreachable(error)) judge(error);
      else if (state !== conflict) throw error;
    }
  metrics.replicaReads.inc({ server: "primary" });
  return onPrimary<Row>(text, values);
}

async function readThere<Row extends object>(on: Replica, text: string, values: readonly unknown[]): Promise<Row[]> {
  const replaced = lacking.filter(({ condition }) => text.includes(condition));
  const known = replaced.reduce((shortened, { condition }) => shortened.replaceAll(condition, "true"), text);
  const rows = await onReplica(on, () => query<Row>(known, values));
  for (const { complete } of replaced) await complete(rows);
  return rows;
}
