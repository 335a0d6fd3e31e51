import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { isAlive } from "./alive.ts";

/** What each process has to do, as it says. */
const key = "hubbub:loads";
const reportEveryMs = 1000;
/** A process that has been busy for this share of the last second is full. */
const fullAt = 0.8;
/** So is one that hasn't reported for so long, because it hangs or was stopped. */
const silentAfterMs = 3000;

/** What a process has to do. */
export interface Load {
  readonly processId: string;
  readonly isFull: boolean;
  /** Actors, and people in rooms. */
  readonly size: number;
  /** Connections of Socket.IO. */
  readonly sockets?: number;
}

/** What this process says of itself. */
export interface OwnLoad {
  /** How many people are in its rooms. */
  people(): number;
  sockets(): number;
}

/** Returns the process that has the least to do; full ones come last. */
export const leastLoaded = (loads: readonly Load[]): Load | undefined =>
  loads.toSorted((a, b) => Number(a.isFull) - Number(b.isFull) || a.size - b.size)[0];

/**
 * Reads what processes report, each time differently: who reports the same for a while is silent, whatever its clock
 * says. One that is read for the first time isn't.
 */
export class Reports {
  readonly #last = new Map<string, { readonly report: string; readonly sinceMs: number }>();

  read(processId: string, report: string, nowMs: number): Load {
    let last = this.#last.get(processId);
    if (last?.report !== report) {
      last = { report, sinceMs: nowMs };
      this.#last.set(processId, last);
    }
    const load = { isFull: false, size: 0, ...JSON.parse(report), processId };
    return nowMs - last.sinceMs > silentAfterMs ? { ...load, isFull: true } : load;
  }

  /** Forgets the processes that are no longer there. */
  keep(processIds: readonly string[]): void {
    for (const id of this.#last.keys()) if (!processIds.includes(id)) this.#last.delete(id);
  }
}

/** What the processes have to do. */
export function redisLoads(redis: Redis, own: OwnLoad) {
  let reporting: NodeJS.Timeout | undefined;
  let utilization = performance.eventLoopUtilization();
  let reports = 0;
  const report = () => {
    reports += 1;
    const now = performance.eventLoopUtilization();
    const isFull = performance.eventLoopUtilization(now, utilization).utilization > fullAt;
    utilization = now;
    const size = matchMaker.stats.local.roomCount + own.people();
    const text = JSON.stringify({ isFull, size, sockets: own.sockets(), reports });
    redis.hset(key, matchMaker.processId, text).catch((error: unknown) => {
      logger.debug({ err: error }, "this process' load was not reported");
    });
  };

  const heard = new Reports();
  /** The processes as last reported, with the actors chosen since. */
  let known: { readonly untilMs: number; readonly loads: Promise<Load[]> } | undefined;
  const read = async (hosts: () => Promise<string[]>): Promise<Load[]> => {
    const [ids, reported] = await Promise.all([hosts(), redis.hgetall(key)]);
    heard.keep(ids);
    return ids.map((processId) => heard.read(processId, reported[processId] ?? "{}", performance.now()));
  };
  return {
    /** Reports what this process has to do, each second from now on. */
    start: () => {
      report();
      reporting = setInterval(report, reportEveryMs);
    },
    stop: () => clearInterval(reporting),
    /** What the hosts have reported. */
    read,
    /** The processes that have reported. */
    reported: () => redis.hkeys(key),
    /** Forgets what processes have reported that are no longer there. */
    forget: (processIds: readonly string[]) => redis.hdel(key, ...processIds),
    /** Returns the one of the hosts in which a new actor is created. */
    choose: async (hosts: () => Promise<string[]>): Promise<string> => {
      for (;;) {
        if (!known || performance.now() > known.untilMs)
          known = { untilMs: performance.now() + reportEveryMs, loads: read(hosts) };
        const { loads } = known;
        loads.catch(() => {
          known = undefined;
        });
        const chosen = leastLoaded(await loads);
        if (!chosen) throw new Error("no process hosts actors");
        // Counted before anything is awaited, because many are chosen at once.
        Object.assign(chosen, { size: chosen.size + 1 });
        if (await isAlive(chosen.processId)) return chosen.processId;
        if (known?.loads === loads) known = undefined;
      }
    },
  };
}
