import { onActorPool } from "#shared/db/sequelize.ts";
import { staleRooms } from "#shared/domain/rooms/room-state.ts";
import { logger } from "#shared/kernel/logger.ts";

/** The actor of a room. */
export interface Owner {
  readonly roomId: string;
  readonly epoch: number;
  /** A newer actor owns the room. */
  supersede(): void;
}

let asking: Owner[] = [];

/** Checks soon whether an actor is still the newest of its room, with one query for all that ask in a turn of the event loop. */
export function checkOwnership(owner: Owner): void {
  asking.push(owner);
  if (asking.length === 1) setImmediate(() => void checkAll());
}

async function checkAll(): Promise<void> {
  const owners = asking;
  asking = [];
  try {
    const stale = new Set(await onActorPool(() => staleRooms(owners)));
    if (stale.size > 0) for (const owner of owners) if (stale.has(owner.roomId)) owner.supersede();
  } catch (error) {
    logger.warn({ err: error }, "actors were not compared with their rooms; this is repeated");
  }
}
