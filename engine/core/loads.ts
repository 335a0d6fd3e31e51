import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { isAlive } from "./alive.ts";

/** What each process has to do, as it says. */
const key = "hubbub:loads";
const reportEveryMs = 1000;
/** A process that has been busy for this share of the last second is full. */
const fullAt = 0.8;

/** What a process has to do. */
export interface Load {
  readonly processId: string;
  readonly isFull: boolean;
  /** Actors, and people in rooms. */
  readonly size: number;
}

/** Returns the process that has the least to do; full ones come last. */
export const leastLoaded = (loads: readonly Load[]): Load | undefined =>
  loads.toSorted((a, b) => Number(a.isFull) - Number(b.isFull) || a.size - b.size)[0];

/** What the processes have to do. `peopleHere`: how many people are in the rooms of this one. */
export function redisLoads(redis: Redis, peopleHere: () => number) {
  let reporting: NodeJS.Timeout | undefined;
  let utilization = performance.eventLoopUtilization();
  const report = () => {
    const now = performance.eventLoopUtilization();
    const isFull = performance.eventLoopUtilization(now, utilization).utilization > fullAt;
    utilization = now;
    const size = matchMaker.stats.local.roomCount + peopleHere();
    redis.hset(key, matchMaker.processId, JSON.stringify({ isFull, size })).catch((error: unknown) => {
      logger.debug({ err: error }, "this process' load was not reported");
    });
  };

  /** The processes as last reported, with the actors chosen since. */
  let known: { readonly untilMs: number; readonly loads: Promise<Load[]> } | undefined;
  const read = async (hosts: () => Promise<string[]>): Promise<Load[]> => {
    const [ids, reports] = await Promise.all([hosts(), redis.hgetall(key)]);
    return ids.map((processId) => ({ isFull: false, size: 0, ...JSON.parse(reports[processId] ?? "{}"), processId }));
  };
  return {
    /** Reports what this process has to do, each second from now on. */
    start: () => {
      report();
      reporting = setInterval(report, reportEveryMs);
    },
    stop: () => clearInterval(reporting),
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
