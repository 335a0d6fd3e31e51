import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";

/**
 * Lists the processes that host actors, with their addresses. A process that is alive is subscribed to
 * its channel; that is gone the moment it dies, so it is asked instead of a heartbeat.
 */
const key = "hubbub:nodes";
/** What each process has to do, as it says. */
const loadKey = "hubbub:loads";
const listAgainMs = 200;
const reportEveryMs = 1000;
/** A process that has been busy for this share of the last second is full. */
const fullAt = 0.8;

export interface Nodes {
  /** Address of a live process, `host:port`. */
  addressOf(processId: string): Promise<string | undefined>;
  /** Live processes that host actors. */
  hosts(): Promise<string[]>;
  /** Returns the process in which a new actor is created: the one that has the least to do, wherever the call came in. */
  choose(): Promise<string>;
  register(port: number): Promise<void>;
  unregister(): Promise<void>;
}

const channelOf = (processId: string) => `p:${processId}`;

/** Returns whether a process is alive. */
export async function isAlive(processId: string): Promise<boolean> {
  if (processId === matchMaker.processId) return true;
  return (await matchMaker.presence.channels(channelOf(processId))).includes(channelOf(processId));
}

/** The address by which other machines reach this one; loopback when the service listens only there. */
function ownHost(listenHost: string): string {
  if (listenHost !== "0.0.0.0" && listenHost !== "::") return listenHost;
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal);
  return outward?.address ?? "127.0.0.1";
}

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

/** Nodes of a service of several processes. `peopleHere`: how many people are in the rooms of this one. */
export function redisNodes(redis: Redis, listenHost: string, peopleHere: () => number): Nodes {
  let address: string | undefined;
  let reporting: NodeJS.Timeout | undefined;
  let utilization = performance.eventLoopUtilization();
  const report = () => {
    const now = performance.eventLoopUtilization();
    const isFull = performance.eventLoopUtilization(now, utilization).utilization > fullAt;
    utilization = now;
    const size = matchMaker.stats.local.roomCount + peopleHere();
    redis.hset(loadKey, matchMaker.processId, JSON.stringify({ isFull, size })).catch((error: unknown) => {
      logger.debug({ err: error }, "this process' load was not reported");
    });
  };

  /** The processes as last reported, with the actors chosen since. */
  let known: { readonly untilMs: number; readonly loads: Promise<Load[]> } | undefined;
  const readLoads = async (): Promise<Load[]> => {
    const [ids, reports] = await Promise.all([hosts(), redis.hgetall(loadKey)]);
    return ids.map((processId) => ({ isFull: false, size: 0, ...JSON.parse(reports[processId] ?? "{}"), processId }));
  };
  const choose = async (): Promise<string> => {
    for (;;) {
      if (!known || performance.now() > known.untilMs)
        known = { untilMs: performance.now() + reportEveryMs, loads: readLoads() };
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
  };

  const hosts = async () => {
    const all = Object.keys(await redis.hgetall(key));
    const alive = await Promise.all(all.map(isAlive));
    const dead = all.filter((_, index) => !alive[index]);
    if (dead.length > 0) await Promise.all([redis.hdel(key, ...dead), redis.hdel(loadKey, ...dead)]);
    return all.filter((_, index) => alive[index]);
  };
  const write = async () => {
    if (address) await redis.hset(key, matchMaker.processId, address);
  };
  // A Redis that was away may have lost the list of processes and actors. Other connections may come back later.
  const listAgain = async () => {
    while (address) {
      try {
        await Promise.all([write(), matchMaker.restoreMissingRoomCaches()]);
        return;
      } catch (error) {
        logger.warn({ err: error }, "this process is not listed again yet");
        await pause(listAgainMs);
      }
    }
  };
  redis.on("ready", () => void listAgain());
  return {
    addressOf: async (processId) =>
      (await isAlive(processId)) ? ((await redis.hget(key, processId)) ?? undefined) : undefined,
    hosts,
    choose,
    register: async (port) => {
      address = `${ownHost(listenHost)}:${port}`;
      report();
      await write();
      reporting = setInterval(report, reportEveryMs);
      logger.debug({ processId: matchMaker.processId }, "node registered");
    },
    unregister: async () => {
      address = undefined;
      clearInterval(reporting);
      try {
        await Promise.all([redis.hdel(key, matchMaker.processId), redis.hdel(loadKey, matchMaker.processId)]);
      } catch (error) {
        // The others find out that this process has ended.
        logger.warn({ err: error }, "this process is still listed");
      }
    },
  };
}

/** The one node of a service of one process. */
export const singleNode: Nodes = {
  addressOf: async () => undefined,
  hosts: async () => [matchMaker.processId],
  choose: async () => matchMaker.processId,
  register: async () => {},
  unregister: async () => {},
};
