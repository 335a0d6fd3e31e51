import { setTimeout as pause } from "node:timers/promises";
import { CloseCode, matchMaker } from "@colyseus/core";
import type { AnyActorRoom } from "./any-actor-room.ts";

/** How long an actor that leaves still answers, milliseconds. */
const leavingMs = 100;

/**
 * Ends an actor so that another process can take over. It leaves the listing some time before it ends: callers who
 * reach it meanwhile are told to ask its successor.
 */
export async function leave(actor: AnyActorRoom): Promise<void> {
  actor.rejectAll();
  await matchMaker.driver.remove(actor.roomId);
  await pause(leavingMs);
  await actor.disconnect(CloseCode.SERVER_SHUTDOWN);
  await actor.ended;
}
