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
const listAgainMs = 200;

export interface Nodes {
  /** Address of a live process, `host:port`. */
  addressOf(processId: string): Promise<string | undefined>;
  /** Live processes that host actors. */
  hosts(): Promise<string[]>;
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

/** Nodes of a service of several processes. */
export function redisNodes(redis: Redis, listenHost: string): Nodes {
  let address: string | undefined;
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
    hosts: async () => {
      const all = Object.keys(await redis.hgetall(key));
      const alive = await Promise.all(all.map(isAlive));
      const dead = all.filter((_, index) => !alive[index]);
      if (dead.length > 0) await redis.hdel(key, ...dead);
      return all.filter((_, index) => alive[index]);
    },
    register: async (port) => {
      address = `${ownHost(listenHost)}:${port}`;
      await write();
      logger.debug({ processId: matchMaker.processId }, "node registered");
    },
    unregister: async () => {
      address = undefined;
      await redis.hdel(key, matchMaker.processId);
    },
  };
}

/** The one node of a service of one process. */
export const singleNode: Nodes = {
  addressOf: async () => undefined,
  hosts: async () => [matchMaker.processId],
  register: async () => {},
  unregister: async () => {},
};
