import { matchMaker } from "@colyseus/core";
import type { LiveCounts } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Nodes } from "./nodes.ts";

const key = "hubbub:live-counts";

/**
 * How many people are in each room that has an actor: written by the actors, read for room lists. In Redis when there
 * are several processes, so that each can list all.
 */
export class LiveCountsBoard {
  readonly #nodes: Nodes;

  constructor(nodes: Nodes) {
    this.#nodes = nodes;
  }

  async set(roomId: string, { member_count, seated_count }: LiveCounts): Promise<void> {
    await matchMaker.presence.hset(key, roomId, `${matchMaker.processId} ${member_count} ${seated_count}`);
  }

  async clear(roomId: string): Promise<void> {
    await matchMaker.presence.hdel(key, roomId);
  }

  /** Counts of live rooms; those of processes that have died are left out, and all while Redis is away. */
  async all(): Promise<ReadonlyMap<string, LiveCounts>> {
    try {
      return await this.#read();
    } catch (error) {
      logger.warn({ err: error }, "live counts were not read");
      return new Map();
    }
  }

  async #read(): Promise<ReadonlyMap<string, LiveCounts>> {
    const entries = Object.entries((await matchMaker.presence.hgetall(key)) ?? {});
    const alive = new Map<string, boolean>();
    const counts = new Map<string, LiveCounts>();
    for (const [roomId, value] of entries) {
      const [processId = "", members, seated] = value.split(" ");
      if (!alive.has(processId)) alive.set(processId, await this.#nodes.isAlive(processId));
      if (alive.get(processId)) counts.set(roomId, { member_count: Number(members), seated_count: Number(seated) });
    }
    return counts;
  }
}
