import type { RoomData } from "./room-data.ts";

/**
 * Connections of a room that a process held which has died: nobody else tells of their end. Answers their ids. One that
 * lives is missed too, for the moment in which it comes back to Redis: so only who was missed by the last look as well.
 * @param missed processes that the last look has missed, brought up to date
 */
export async function lostConnections(
  { members }: Pick<RoomData, "members">,
  missed: Set<string>,
  hasDied: (processId: string) => Promise<boolean>,
): Promise<string[]> {
  const held = [...members.values()].flatMap(({ connections }) => [...connections.values()]);
  const dead = new Set<string>();
  for (const processId of new Set(held.map((connection) => connection.processId)))
    if (!(await hasDied(processId))) missed.delete(processId);
    else if (missed.has(processId)) dead.add(processId);
    else missed.add(processId);
  return held.filter(({ processId }) => dead.has(processId)).map(({ id }) => id);
}
