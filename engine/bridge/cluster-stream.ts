import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Redis } from "ioredis";
import type { Server } from "socket.io";
import { MessageType } from "socket.io-adapter";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { hearEntries, publishBy } from "./socketio-internals.ts";

/** The Redis stream by which processes hand pushes to each other's sockets. */
const streamName = "hubbub:socket.io";
const maxLen = 10_000;
/** The most entries that are read at once. */
const readCount = 100;
const retryMs = 50;
/** How long a wait for entries takes, and after which silence the connection is given up, milliseconds. */
const [waitMs, silentMs] = [4000, 6000];

/**
 * Its client waits while Redis is unavailable, so what is pushed or said to the other processes meanwhile reaches them
 * late rather than never. The adapter would publish what servers say to each other, which a process misses while it
 * reconnects.
 */
export function streamAdapter(redis: Redis) {
  const client = redis.duplicate({ maxRetriesPerRequest: null, socketTimeout: silentMs });
  // The wait for entries takes longer than a command may.
  delete client.options.commandTimeout;
  const make = createAdapter(client, { streamName, maxLen, readCount, blockTimeInMs: waitMs });
  // Socket.IO calls it with `new`.
  return function clusterAdapter(namespace: unknown) {
    const adapter = make(namespace);
    publishBy(adapter, (message, usual) => {
      const { uid, nsp, type, data } = message;
      if (type !== MessageType.SERVER_SIDE_EMIT || data.requestId !== undefined) return usual(message);
      return client.xadd(...entry({ uid, nsp, type: `${type}`, data: JSON.stringify(data) }));
    });
    return adapter;
  };
}

/** The arguments that append an entry of these fields to the stream. */
const entry = (fields: Readonly<Record<string, string>>) =>
  [streamName, "MAXLEN", "~", maxLen, "*", ...Object.entries(fields).flat()] as const;

/**
 * Waits until this process hears what the others push. The adapter reads "from now on" until it has read its first
 * entry (before it is connected, and again each time a wait for entries ends without any), so what is pushed in between
 * would be lost: an entry without effect is written until it comes back.
 */
export async function readFromHere(io: Server, redis: Redis): Promise<void> {
  const mark = newId();
  let heard = false;
  const stop = hearEntries(io, (uid) => {
    heard ||= uid === mark;
    return uid === mark;
  });
  while (!heard) {
    await redis.xadd(...entry({ nsp: "/", uid: mark, type: `${MessageType.INITIAL_HEARTBEAT}` }));
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  stop();
}

/**
 * Calls `heal` when the stream has dropped entries that this process had not read, because it hung or was too slow.
 * That takes more entries than are read at once, so only a full read is followed by a look.
 */
export function watchGaps(io: Server, redis: Redis, heal: () => void): void {
  let last: string | undefined;
  let count = 0;

  const check = async (before: string): Promise<void> => {
    if ((await redis.xrange(streamName, before, before)).length > 0) return;
    metrics.pushesMissed.inc();
    logger.warn("this process has missed what others pushed: its connections are closed, so that clients catch up");
    heal();
  };
  hearEntries(io, (_uid, offset) => {
    const before = last;
    last = offset;
    count += 1;
    // All entries of a read are heard in one go.
    if (count === 1) queueMicrotask(() => endOfRead(before));
    return false;
  });
  const endOfRead = (before: string | undefined) => {
    const isFull = count >= readCount;
    count = 0;
    if (!isFull || before === undefined) return;
    check(before).catch((error: unknown) => logger.warn({ err: error }, "the stream was not checked for a gap"));
  };
}
