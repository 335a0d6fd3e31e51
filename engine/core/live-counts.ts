import { matchMaker } from "@colyseus/core";
import type { LiveCounts, LiveCountsOf } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isAlive } from "./nodes.ts";

/**
 * How many people are in each room that has an actor: written by the actors, read for room lists. In Redis when there
 * are several processes, so that each can list all.
 */
const key = "hubbub:live-counts";

export async function setLiveCounts(roomId: string, { member_count, seated_count }: LiveCounts): Promise<void> {
  await matchMaker.presence.hset(key, roomId, `${matchMaker.processId} ${member_count} ${seated_count}`);
}

export async function clearLiveCounts(roomId: string): Promise<void> {
  await matchMaker.presence.hdel(key, roomId);
}

/** Returns the counts of live rooms, except those of dead processes; none while Redis is unavailable. */
export async function liveCounts(): Promise<ReadonlyMap<string, LiveCountsOf>> {
  try {
    const counts = new Map<string, LiveCountsOf>();
    const alive = new Map<string, boolean>();
    for (const [roomId, value] of Object.entries((await matchMaker.presence.hgetall(key)) ?? {})) {
      const [processId = "", members, seated] = value.split(" ");
      if (!alive.has(processId)) alive.set(processId, await isAlive(processId));
      if (alive.get(processId))
        counts.set(roomId, { member_count: Number(members), seated_count: Number(seated), process_id: processId });
    }
    return counts;
  } catch (error) {
    logger.warn({ err: error }, "live counts were not read");
    return new Map();
  }
}
