import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { Redis } from "ioredis";
import type { Server } from "socket.io";
import { newId } from "#shared/kernel/ids.ts";

/** The Redis stream by which processes hand pushes to each other's sockets. */
const streamName = "hubbub:socket.io";
const maxLen = 10_000;
const retryMs = 50;
/** How long a wait for entries takes, and after which silence the connection is given up, milliseconds. */
const [waitMs, silentMs] = [4000, 6000];

/** Its client waits while Redis is unavailable, so events pushed meanwhile reach other processes late rather than never. */
export function streamAdapter(redis: Redis) {
  const client = redis.duplicate({ maxRetriesPerRequest: null, socketTimeout: silentMs });
  // The wait for entries takes longer than a command may.
  delete client.options.commandTimeout;
  return createAdapter(client, { streamName, maxLen, blockTimeInMs: waitMs });
}

interface StreamReader {
  onRawMessage?(message: { uid: string }, offset: string): void;
}

/**
 * Waits until this process hears what the others push. The adapter reads "from now on" until it has read its first entry
 * (before it is connected, and again each time a wait for entries ends without any), so what is pushed in between would
 * be lost: an entry without effect is written until it comes back.
 */
export async function readFromHere(io: Server, redis: Redis): Promise<void> {
  const reader = io.of("/").adapter as unknown as StreamReader;
  const mark = newId();
  let heard = false;
  reader.onRawMessage = (message, offset) => {
    if (message.uid === mark) heard = true;
    else Object.getPrototypeOf(reader).onRawMessage.call(reader, message, offset);
  };
  while (!heard) {
    await redis.xadd(streamName, "MAXLEN", "~", maxLen, "*", "nsp", "/", "uid", mark, "type", "1");
    await new Promise((resolve) => setTimeout(resolve, retryMs));
  }
  delete reader.onRawMessage;
}
