import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { isAlive } from "./alive.ts";
import { type Load, type OwnLoad, redisLoads } from "./loads.ts";

/**
 * Lists the processes that host actors, with their addresses. A process that is alive is subscribed to
 * its channel; that is gone the moment it dies, so it is asked instead of a heartbeat.
 */
const key = "hubbub:nodes";
/** Those of them that are about to stop: they host no new actors. */
const leavingKey = "hubbub:nodes:leaving";
/** How often a process tries to list itself again, and how often it looks whether it is listed, milliseconds. */
const [listAgainMs, checkEveryMs] = [200, 1000];
/** One of so many checks also looks whether its actors are listed. */
const actorsEvery = 3;

export interface Nodes {
  /** Address of a live process, `host:port`. */
  addressOf(processId: string): Promise<string | undefined>;
  /** Live processes that host actors. */
  hosts(): Promise<string[]>;
  /**
   * Returns the process in which a new actor is created: the one that has the least to do, wherever the call came in.
   */
  choose(): Promise<string>;
  /** What the live processes that host actors have to do. Of a single process, nothing is known. */
  loads(): Promise<readonly Load[]>;
  register(port: number): Promise<void>;
  /** Announces that this process is about to stop: new actors go to others. */
  leave(): Promise<void>;
  unregister(): Promise<void>;
}

/** The address by which other machines reach this one; loopback when the service listens only there. */
function ownHost(listenHost: string): string {
  if (listenHost !== "0.0.0.0" && listenHost !== "::") return listenHost;
  const outward = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === "IPv4" && !address.internal);
  return outward?.address ?? "127.0.0.1";
}

/**
 * Returns the live processes that host actors and aren't about to stop. Forgets the dead ones, also those whose last
 * word came after they had been forgotten.
 */
async function readHosts(redis: Redis, loads: ReturnType<typeof redisLoads>): Promise<string[]> {
  const listed = await Promise.all([redis.hkeys(key), redis.hkeys(leavingKey), loads.reported()]);
  const [all, going] = listed;
  const known = [...new Set(listed.flat())];
  const alive = await Promise.all(known.map(isAlive));
  const dead = new Set(known.filter((_, index) => !alive[index]));
  if (dead.size > 0)
    await Promise.all([redis.hdel(key, ...dead), redis.hdel(leavingKey, ...dead), loads.forget([...dead])]);
  return all.filter((id) => !dead.has(id) && !going.includes(id));
}

/** The entry of this process in the lists. */
class Listing {
  readonly #redis: Redis;
  #address: string | undefined;
  #checking: NodeJS.Timeout | undefined;
  #checks = 0;
  leaving = false;

  constructor(redis: Redis) {
    this.#redis = redis;
    // A Redis that was away may have lost the list of processes and actors. Other connections may come back later.
    redis.on("ready", () => void this.#listAgain());
  }

  async begin(address: string): Promise<void> {
    this.#address = address;
    await this.write();
    this.#checking = setInterval(() => {
      this.#check().catch((error: unknown) => logger.debug({ err: error }, "the list of processes was not checked"));
    }, checkEveryMs);
  }

  async write(): Promise<void> {
    if (!this.#address) return;
    const own = matchMaker.processId;
    await Promise.all([
      this.#redis.hset(key, own, this.#address),
      this.leaving && this.#redis.hset(leavingKey, own, 1),
    ]);
  }

  async end(): Promise<void> {
    this.#address = undefined;
    clearInterval(this.#checking);
    await Promise.all([key, leavingKey].map((list) => this.#redis.hdel(list, matchMaker.processId)));
  }

  async #listAgain(): Promise<void> {
    while (this.#address) {
      try {
        await matchMaker.restoreMissingRoomCaches();
        await this.write();
        return;
      } catch (error) {
        logger.warn({ err: error }, "this process is not listed again yet");
        await pause(listAgainMs);
      }
    }
  }

  /** Redis may also lose its data, or some of it, without losing a connection. */
  async #check(): Promise<void> {
    this.#checks += 1;
    if (this.#checks % actorsEvery === 0) await matchMaker.restoreMissingRoomCaches();
    if ((await this.#redis.hexists(key, matchMaker.processId)) || !this.#address) return;
    metrics.redisDataLost.inc();
    logger.warn("redis has lost its data: this process and its actors are listed again");
    await this.#listAgain();
  }
}

/** Nodes of a service of several processes. */
export function redisNodes(redis: Redis, listenHost: string, own: OwnLoad): Nodes {
  const loads = redisLoads(redis, own);
  const listing = new Listing(redis);
  const hosts = () => readHosts(redis, loads);
  return {
    addressOf: async (processId) =>
      (await isAlive(processId)) ? ((await redis.hget(key, processId)) ?? undefined) : undefined,
    hosts,
    choose: async () => {
      if (!listing.leaving) return loads.choose(hosts);
      const others = await hosts();
      return others.length > 0 ? loads.choose(async () => others) : matchMaker.processId;
    },
    loads: () => loads.read(hosts),
    register: async (port) => {
      loads.start();
      // A process that was killed is often the one that starts again: nothing remains of it.
      await Promise.all([listing.begin(`${ownHost(listenHost)}:${port}`), hosts()]);
      logger.debug({ processId: matchMaker.processId }, "node registered");
    },
    leave: async () => {
      listing.leaving = true;
      await listing.write();
    },
    unregister: async () => {
      loads.stop();
      try {
        await Promise.all([listing.end(), loads.forget([matchMaker.processId])]);
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
  loads: async () => [],
  register: async () => {},
  leave: async () => {},
  unregister: async () => {},
};
