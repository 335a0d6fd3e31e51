import { DomainError } from "#shared/kernel/domain-error.ts";
import { findRoom, type RoomRow } from "./rooms.queries.ts";

/** Loads a room that somebody may know of. @throws NOT_FOUND */
export async function accessRoom(roomId: string): Promise<RoomRow> {
  const row = await findRoom(roomId);
  if (!row) throw new DomainError("NOT_FOUND", "There is no such room.");
  return row;
}
