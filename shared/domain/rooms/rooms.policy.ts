import { areBlocked } from "#shared/domain/blocks/blocks.queries.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { findRoom, type RoomRow } from "./rooms.queries.ts";

/**
 * Loads a room that somebody may know of.
 * @throws NOT_FOUND, also for the room of a host with whom he has nothing to do
 */
export async function accessRoom(viewerId: string, roomId: string): Promise<RoomRow> {
  const row = await findRoom(roomId);
  if (!row || (await areBlocked(viewerId, row.host_id))) throw new DomainError("NOT_FOUND", "There is no such room.");
  return row;
}
