import { setTimeout as pause } from "node:timers/promises";
import { matchMaker } from "@colyseus/core";
import type { Server } from "socket.io";
import type { ActorKind } from "#shared/contracts/actors.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Directory } from "./core/directory.ts";
import type { Nodes } from "./core/nodes.ts";

/**
 * The part of the time at its beginning in which nothing moves, so that balancers notice that the process is leaving.
 */
const noticeShare = 0.3;
/** Other processes may choose this one for a new actor that much longer, milliseconds. */
const noticeMs = 1200;

/**
 * Moves the connections and actors of this process to the others, evenly over the time: the others see no wave of
 * clients. Clients of Socket.IO see a lost connection, and connect again by themselves. Actors stay if no other process
 * hosts any.
 */
export async function moveAway(
  withinMs: number,
  { io, directory, nodes }: { io: Server; directory: Directory; nodes: Nodes },
) {
  await nodes.leave();
  const untilMs = performance.now() + withinMs;
  await pause(Math.max(withinMs * noticeShare, noticeMs));
  await Promise.all([closeSockets(io, untilMs), moveActors(directory, nodes, untilMs)]);
}

async function closeSockets(io: Server, untilMs: number): Promise<void> {
  // Some may come meanwhile.
  for (let sockets = [...io.of("/").sockets.values()]; sockets.length > 0; sockets = [...io.of("/").sockets.values()])
    await evenly(sockets, untilMs, (socket) => socket.conn.close());
}

async function moveActors(directory: Directory, nodes: Nodes, untilMs: number): Promise<void> {
  const others = (await nodes.hosts()).filter((id) => id !== matchMaker.processId);
  if (others.length === 0) return;
  const moves: Promise<void>[] = [];
  await evenly(await matchMaker.query({ processId: matchMaker.processId } as never), untilMs, ({ roomId, name }) => {
    const moved = directory.moveAway(name as ActorKind, roomId);
    moves.push(moved.catch((error: unknown) => logger.warn({ err: error, roomId }, "an actor has no successor yet")));
  });
  await Promise.all(moves);
}

async function evenly<T>(items: readonly T[], untilMs: number, work: (item: T) => void): Promise<void> {
  for (const [index, item] of items.entries()) {
    work(item);
    const left = items.length - index;
    await pause(Math.max(0, untilMs - performance.now()) / left);
  }
}
