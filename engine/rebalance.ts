import { matchMaker } from "@colyseus/core";
import type { Server } from "socket.io";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Directory } from "./core/directory.ts";
import { liveRooms } from "./core/live-rooms.ts";
import type { Load } from "./core/loads.ts";
import type { Nodes } from "./core/nodes.ts";

const everyMs = 2000;
/** A process has too much from so many times the mean, and so much more, on: moving less costs more than it saves. */
const [tolerance, slack] = [1.25, 10];
/** In so many rounds in a row: loads are some seconds old, and people who come together go to each process in turn. */
const lasting = 3;
/** The most rooms that move in a round, and the share of connections that are closed. */
const [roomsMax, socketsShare] = [4, 0.02];
/** After so many rounds, closed connections must have come elsewhere; else none is closed for so long, milliseconds. */
const [judgedAfter, givenUpMs] = [5, 10 * 60_000];

/** Returns how much more than the mean a process has; 0 if that is within what is tolerated. */
export function excessOf(own: number, all: readonly number[]): number {
  const mean = all.reduce((sum, one) => sum + one, 0) / all.length;
  return own > mean * tolerance + slack ? Math.floor(own - mean) : 0;
}

/** Tells an excess that lasts from one that is only seen. */
export class LastingExcess {
  #latest: number[] = [];

  /** Returns the least of the last rounds, this one's among them. */
  add(excess: number): number {
    this.#latest = [...this.#latest, excess].slice(-lasting);
    return this.#latest.length < lasting ? 0 : Math.min(...this.#latest);
  }
}

/**
 * Returns which of the items move, the largest first: together no more than the excess, so that none goes to and fro
 * because it is most of what there is, wherever it is.
 */
export function movable<T>(items: readonly T[], excess: number, sizeOf: (item: T) => number): T[] {
  const chosen: T[] = [];
  let left = excess;
  for (const item of items.toSorted((a, b) => sizeOf(b) - sizeOf(a))) {
    if (chosen.length === roomsMax) break;
    if (sizeOf(item) > left) continue;
    left -= sizeOf(item);
    chosen.push(item);
  }
  return chosen;
}

interface Here {
  readonly io: Server;
  readonly directory: Directory;
  readonly nodes: Nodes;
}

/**
 * Lets a process that has more to do than the others move rooms and connections to them, a few at a time: otherwise, a
 * new process gets nothing of what there is. Clients of Socket.IO see a lost connection, and connect again by
 * themselves, where the balancer sends them. Returns a function that ends this.
 */
export function startRebalancing(here: Here): () => void {
  const closing = new Closing(here.io);
  const [tooManySockets, tooManyActors] = [new LastingExcess(), new LastingExcess()];
  let busy = false;
  const round = async () => {
    const loads = await here.nodes.loads();
    const own = loads.find(({ processId }) => processId === matchMaker.processId);
    // One that is about to stop is no host, and moves all.
    if (!own || loads.length < 2) return;
    const sockets = loads.flatMap((load) => load.sockets ?? []);
    // Processes of 0.2.0 don't say.
    if (own.sockets !== undefined && sockets.length === loads.length)
      closing.round(tooManySockets.add(excessOf(own.sockets, sockets)), own.sockets);
    const sizes = loads.map(({ size }) => size);
    await moveRooms(here.directory, tooManyActors.add(excessOf(own.size, sizes)), own, loads);
  };
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    round()
      .catch((error: unknown) => logger.debug({ err: error }, "rooms and connections were not rebalanced"))
      .finally(() => {
        busy = false;
      });
  }, everyMs);
  return () => clearInterval(timer);
}

/**
 * Moves rooms to the process that has the least to do. One that is more than the excess would only move the problem.
 */
async function moveRooms(directory: Directory, excess: number, own: Load, loads: readonly Load[]): Promise<void> {
  if (excess === 0 || loads.every((load) => load === own || load.isFull)) return;
  const rooms = await matchMaker.query({ processId: matchMaker.processId } as never);
  for (const { roomId, name } of movable(rooms, excess, (room) => 1 + liveRooms.peopleIn(room.roomId))) {
    // It may end meanwhile, or have no successor yet: the next who asks for it makes it.
    await directory
      .moveAway(name as ActorKind, roomId)
      .then(() => metrics.rebalanced.inc({ what: "actor" }))
      .catch((error: unknown) => logger.warn({ err: error, roomId }, "an actor has no successor yet"));
  }
}

/** Closes connections of this process, as long as they come back elsewhere. */
class Closing {
  readonly #io: Server;
  /** The connections before the last rounds, and how many were closed in them. */
  #before = 0;
  #closed = 0;
  #rounds = 0;
  #pausedUntilMs = 0;

  constructor(io: Server) {
    this.#io = io;
  }

  round(excess: number, own: number): void {
    if (clock.now() < this.#pausedUntilMs) return;
    if (excess === 0) {
      this.#rounds = 0;
      return;
    }
    if (this.#rounds === 0) [this.#before, this.#closed] = [own, 0];
    this.#rounds += 1;
    if (this.#rounds > judgedAfter) {
      if (this.#closed > 0 && this.#before - own < this.#closed / 4) this.#giveUp();
      this.#rounds = 0;
      return;
    }
    this.#close(Math.min(excess, Math.ceil(own * socketsShare)));
  }

  #close(count: number): void {
    // The oldest first: who comes back is the newest.
    for (const socket of [...this.#io.of("/").sockets.values()].slice(0, count)) socket.conn.close();
    this.#closed += count;
    metrics.rebalanced.inc({ what: "connection" }, count);
  }

  #giveUp(): void {
    this.#pausedUntilMs = clock.now() + givenUpMs;
    logger.warn("closed connections come back to this process: the balancer should send new ones to the emptiest");
  }
}
