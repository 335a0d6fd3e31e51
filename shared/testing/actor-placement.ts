import { setTimeout as pause } from "node:timers/promises";
import type { Redis } from "ioredis";
import { openRoom, type Registered, type SpawnedService } from "./spawned-service.ts";

/** Returns the address of the process that the room's actor lives in. `listing`: the Redis of the processes. */
export async function ownerOf(listing: Redis, room: string): Promise<string | null> {
  const row = await listing.hget("roomcaches", room);
  return row && listing.hget("hubbub:nodes", JSON.parse(row).processId);
}

/**
 * Opens rooms until one has its actor in this process, and returns its ID. Call it when the process has less to do than
 * the others: actors go to the one with the least. Processes report their load once a second, so one that has just
 * started is passed over for a while.
 */
export async function openRoomIn(listing: Redis, service: SpawnedService, host: Registered): Promise<string> {
  // A host has at most 10 open rooms.
  for (let tries = 0; tries < 10; tries += 1) {
    const room = await openRoom(service, host);
    if ((await ownerOf(listing, room)) === new URL(service.url).host) return room;
    await pause(500);
  }
  throw new Error("no room got its actor there");
}
