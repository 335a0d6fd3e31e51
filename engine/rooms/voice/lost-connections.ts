import { engine } from "../../engine.ts";
import type { RoomData } from "./room-data.ts";

/** Connections of a room that a process held which has died: nobody else tells of their end. Answers their ids. */
export async function lostConnections({ members }: RoomData): Promise<string[]> {
  const held = [...members.values()].flatMap(({ connections }) => [...connections.values()]);
  const dead = new Set<string>();
  for (const processId of new Set(held.map((connection) => connection.processId)))
    if (await engine().directory.hasDied(processId)) dead.add(processId);
  return held.filter(({ processId }) => dead.has(processId)).map(({ id }) => id);
}
