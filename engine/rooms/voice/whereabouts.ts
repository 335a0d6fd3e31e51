import type { InputOf } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { enterRoom, exitRoom } from "#shared/domain/rooms/room-presence.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { untilDone } from "../../bridge/until-done.ts";
import { engine } from "../../engine.ts";

/** Which room each user is in, beside what the actors hold: a user is in one, and their friends may see it. */

const pausesMs = [500, 2000, 10_000];

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
    await notifyRoom(previous.room_id, "user:moved", { user_id: userId, join_id: previous.join_id });
  if (!blocked) return;
  await notifyRoom(roomId, "user:expel", { user_id: userId });
  throw new DomainError("BLOCKED");
}

/** Has a room let go of a user. It is true already: a room that is out of reach is notified later. */
async function notifyRoom<A extends "user:moved" | "user:expel">(
  roomId: string,
  action: A,
  input: InputOf<"voice_room", A>,
): Promise<void> {
  const ask = async () => {
    const result = await engine().directory.callIfAlive("voice_room", roomId, { principal: service, action, input });
    if (result) unwrap(result);
  };
  const onFailure = (error: unknown) =>
    logger.warn({ err: error, roomId, action }, "a room was not notified to let go of a user");
  await ask().catch(() => void untilDone(ask, { pausesMs, onFailure }));
}

/** Stores that a membership has ended; `joinId` names it. */
export function depart(userId: string, joinId: string): void {
  inOrder(userId, () => exitRoom(userId, joinId)).then(
    (wasHere) => wasHere && engine().presence.moved([userId]),
    (error: unknown) => logger.warn({ err: error }, "room presence was not cleared"),
  );
}
