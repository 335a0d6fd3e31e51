import { enterRoom, exitRoom } from "#shared/domain/rooms/room-presence.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { notifyRoom, untilNotified } from "../../bridge/notify-room.ts";
import { engine } from "../../engine.ts";

/** Which room each user is in, beside what the actors hold: a user is in one, and their friends may see it. */

/** The last write of each user that is under way: writes of one user keep their order. */
const underWay = new Map<string, Promise<unknown>>();

function inOrder<T>(userId: string, write: () => Promise<T>): Promise<T> {
  const done = (underWay.get(userId) ?? Promise.resolve()).then(write, write);
  underWay.set(userId, done);
  const forget = () => underWay.get(userId) === done && underWay.delete(userId);
  done.then(forget, forget);
  return done;
}

/**
 * Stores that an admitted user is in this room now, and has the previous room let go of them.
 * @throws BLOCKED when a block with the host was made meanwhile; the user is out again then, or soon
 */
export async function arrive(roomId: string, userId: string, joinId: string): Promise<void> {
  const { presence } = engine();
  const { previous, blocked } = await inOrder(userId, () => enterRoom(userId, roomId, joinId));
  if (previous?.room_id !== roomId) presence.moved([userId]);
  if (previous && previous.room_id !== roomId)
    await letGo(previous.room_id, "user:moved", { user_id: userId, join_id: previous.join_id });
  if (!blocked) return;
  await letGo(roomId, "user:expel", { user_id: userId });
  throw new DomainError("BLOCKED");
}

/** Has a room let go of a user. A room that is out of reach is notified later. */
const letGo: typeof notifyRoom = (...notice) => notifyRoom(...notice).catch(() => void untilNotified(...notice));

/** Stores that a membership has ended; `joinId` names it. */
export function depart(userId: string, joinId: string): void {
  inOrder(userId, () => exitRoom(userId, joinId)).then(
    (wasHere) => wasHere && engine().presence.moved([userId]),
    (error: unknown) => logger.warn({ err: error }, "room presence was not cleared"),
  );
}
