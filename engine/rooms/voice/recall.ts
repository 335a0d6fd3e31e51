import { engine } from "../../engine.ts";
import type { RoomData } from "./room-data.ts";

/** When members without a connection are called again, ticks after they lost it: in time before their grace ends. */
const recallTicks = [5, 10, 20, 40];
/** How many are called at most. */
const recalledMax = 1000;

/**
 * Calls members again who lost their connections without their clients' doing: the announcement of a new actor may have
 * been lost with Redis, an old actor that didn't know of this one took them, or a process that only seemed dead holds
 * their connections.
 */
export class Recall {
  #ticks = 0;

  /** Members may have lost their connections just now. It also begins when the actor does. */
  begin(): void {
    this.#ticks = 0;
  }

  tick(data: RoomData): void {
    this.#ticks += 1;
    if (!recallTicks.includes(this.#ticks)) return;
    const { roomId, epoch } = data;
    const userIds = [...data.absent().take(recalledMax)];
    if (userIds.length > 0) engine().fanout.actorBegan({ roomId, epoch, userIds });
    if (this.#ticks === recallTicks.at(-1)) data.listenersBefore.clear();
  }
}
