import { onActorPool } from "#shared/db/sequelize.ts";
import { differingRooms, type OwnedRoom } from "#shared/domain/live/rooms/room-state.ts";
import { logger } from "#shared/kernel/logger.ts";

/** The actor of a room. */
export interface Owner extends OwnedRoom {
  /** A newer actor owns the room. */
  supersede(): void;
  /** The database doesn't know where all members are. */
  recordMembers(): Promise<void>;
}

let asking: Owner[] = [];

/**
 * Checks soon whether an actor is still the newest of its room, with one query for all that ask in a turn of the event
 * loop.
 */
export function checkOwnership(owner: Owner): void {
  asking.push(owner);
  if (asking.length === 1) setImmediate(() => void checkAll());
}

async function checkAll(): Promise<void> {
  const owners = asking;
  asking = [];
  try {
    const differing = await onActorPool(() => differingRooms(owners));
    for (const { room_id, stale } of differing) {
      const owner = owners.find(({ roomId }) => roomId === room_id)!;
      if (stale) owner.supersede();
      else await owner.recordMembers();
    }
  } catch (error) {
    logger.warn({ err: error }, "actors were not compared with their rooms; this is repeated");
  }
}
