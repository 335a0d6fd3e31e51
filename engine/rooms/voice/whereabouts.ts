import { setTimeout as pause } from "node:timers/promises";
import { onActorPool } from "#shared/db/sequelize.ts";
import { type Entered, entries, exitRoom, recordAgain } from "#shared/domain/live/rooms/room-presence.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { notifyRoom, untilNotified } from "../../bridge/notify-room.ts";
import { untilDone } from "../../bridge/until-done.ts";
import { engine } from "../../engine.ts";
import type { RoomData } from "./room-data.ts";

/** The database's record of the room that each user is in. A user is in one room, and their friends may see it. */

/** Each user's last write in progress, which keeps the writes of one user in order. */
const underWay = new Map<string, Promise<unknown>>();

function inOrder<T>(userId: string, write: () => Promise<T>): Promise<T> {
  const done = (underWay.get(userId) ?? Promise.resolve()).then(write, write);
  underWay.set(userId, done);
  const forget = () => underWay.get(userId) === done && underWay.delete(userId);
  done.then(forget, forget);
  return done;
}

/** Pauses between attempts to store a user's room. The actors know it, so it is stored eventually. */
const pausesMs = [50, 250, 1000, 5000];
/** The caller waits at most this long. After that, they are in the room regardless. */
const awaitedMs = 2000;

const untilStored = (write: () => Promise<unknown>): Promise<void> =>
  untilDone(write, {
    pausesMs,
    onFailure: (error) => logger.warn({ err: error }, "where a user is was not stored; it will be repeated"),
  });

/**
 * Stores that an admitted user is in this room now, and has the previous room let go of them. Doesn't fail because the
 * database is out of reach: the user is in the room already.
 * @throws BLOCKED if a block with the host was created meanwhile; the user is then removed, at once or soon
 */
export async function arrive(roomId: string, userId: string, joinId: string): Promise<void> {
  const settled = settle(roomId, userId, joinId);
  const isLate = pause(awaitedMs, false, { ref: false });
  if (await Promise.race([settled, isLate])) throw new DomainError("BLOCKED");
}

/** Returns whether the user was blocked meanwhile. Never rejects. */
async function settle(roomId: string, userId: string, joinId: string): Promise<boolean> {
  const { previous, blocked } = await inOrder(userId, async () => {
    let entered: Entered = { previous: null, blocked: false };
    await untilStored(async () => {
      entered = await entries.add({ userId, roomId, joinId });
    });
    return entered;
  });
  if (previous?.room_id !== roomId) engine().presence.moved([userId]);
  if (previous && previous.room_id !== roomId)
    await letGo(previous.room_id, "user:moved", { user_id: userId, join_id: previous.join_id });
  if (blocked) await letGo(roomId, "user:expel", { user_id: userId });
  return blocked;
}

/** Tells a room to remove a user. An unreachable room is notified later. */
const letGo: typeof notifyRoom = (...notice) => notifyRoom(...notice).catch(() => void untilNotified(...notice));

/** Stores that a membership has ended; `joinId` names it. Never rejects. */
export function depart(userId: string, joinId: string): void {
  void inOrder(userId, () =>
    untilStored(async () => {
      if (await exitRoom(userId, joinId)) engine().presence.moved([userId]);
    }),
  );
}

/**
 * Records the members of a room again, because the record doesn't survive a crash of the database. Lets go of those who
 * joined another room while it was missing.
 */
export async function recordMembers({ roomId, members }: Pick<RoomData, "roomId" | "members">): Promise<void> {
  const held = [...members]
    .filter(([userId]) => !underWay.has(userId))
    .map(([userId, { joinId }]) => ({ userId, roomId, joinId }));
  const elsewhere = await onActorPool(() => recordAgain(held));
  for (const { userId, joinId } of held) {
    // Those who left meanwhile.
    if (members.get(userId)?.joinId !== joinId) depart(userId, joinId);
    else if (elsewhere.has(userId) && !underWay.has(userId))
      await letGo(roomId, "user:moved", { user_id: userId, join_id: joinId });
  }
}
