import type { ActionOf, InputOf } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { outsideTransaction } from "#shared/db/sequelize.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { engine } from "../engine.ts";
import { untilDone } from "./until-done.ts";

/** Pauses between attempts to notify an unreachable room, which keeps places for users whom it believes to be there. */
const pausesMs = [500, 2000, 10_000];

/** Sends a command of the service to a room's actor. A room without an actor has no members, so nothing happens. */
export async function notifyRoom<A extends ActionOf<"voice_room">>(
  roomId: string,
  action: A,
  input: InputOf<"voice_room", A>,
): Promise<void> {
  const { directory } = engine();
  const command = { principal: service, action, input };
  // Actors have connections of their own.
  const result = await outsideTransaction(() => directory.callIfAlive("voice_room", roomId, command));
  if (result) unwrap(result);
}

/** Notifies a room of something already stored; repeats this while the room is unreachable. Never rejects. */
export function untilNotified<A extends ActionOf<"voice_room">>(
  roomId: string,
  action: A,
  input: InputOf<"voice_room", A>,
): Promise<void> {
  const onFailure = (error: unknown) => logger.warn({ err: error, roomId, action }, "a room was not notified");
  return untilDone(() => notifyRoom(roomId, action, input), { pausesMs, onFailure });
}
