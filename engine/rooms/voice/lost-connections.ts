import { matchMaker } from "@colyseus/core";
import type { Connection } from "#shared/contracts/actors.ts";
import type { RoomData } from "./room-data.ts";

/** Returns whether another process holds connections to a room. */
export function hasRemoteConnections({ members }: Pick<RoomData, "members">): boolean {
  for (const { connections } of members.values())
    for (const { processId } of connections.values()) if (processId !== matchMaker.processId) return true;
  return false;
}

/**
 * Returns a room's connections that a dead process held, because nothing else reports their end. A live process is
 * missing too while it reconnects to Redis, so a process counts as dead when two checks in a row have missed it.
 * @param missed processes that the last check missed; updated
 */
export async function lostConnections(
  { members }: Pick<RoomData, "members">,
  missed: Set<string>,
  hasDied: (processId: string) => Promise<boolean>,
): Promise<Connection[]> {
  const held: Connection[] = [];
  for (const { connections } of members.values()) held.push(...connections.values());
  const dead = new Set<string>();
  for (const processId of new Set(held.map((connection) => connection.processId)))
    if (!(await hasDied(processId))) missed.delete(processId);
    else if (missed.has(processId)) dead.add(processId);
    else missed.add(processId);
  return held.filter(({ processId }) => dead.has(processId));
}
