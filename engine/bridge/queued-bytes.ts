import type { IncomingMessage, ServerResponse } from "node:http";
import type { Client, ClientPrivate } from "@colyseus/core";
import type { RawConnection } from "../core/transport.ts";

interface QueuedPacket {
  readonly data?: unknown;
}

interface Transport {
  readonly name: string;
  readonly socket?: RawConnection;
}

/** What engine.io buffers for a connection: packets not yet in the transport, and bytes not yet in the network. */
export interface EngineConnection {
  readonly id: string;
  /** The first one. Forgotten when the connection has a user. */
  readonly request: IncomingMessage;
  readonly readyState: string;
  readonly writeBuffer: readonly QueuedPacket[];
  readonly transport: Transport;
  on(change: "packet" | "close", listener: () => void): void;
  once(change: "close" | "upgrade", listener: (to: Transport) => void): void;
  /** Ends it without waiting: `close` would wait 30 s for a poll that doesn't come. */
  onClose(reason: string): void;
}

/** A Socket.IO connection, and what its client has not read yet. */
export interface Unread {
  readonly connection: EngineConnection;
  /** Responses to polls, if there have been any. */
  responses?: Set<ServerResponse>;
}

const sizeOf = ({ data }: QueuedPacket): number =>
  typeof data === "string" ? data.length : data instanceof Uint8Array ? data.byteLength : 0;

const sum = (sizes: Iterable<number>): number => {
  let total = 0;
  for (const size of sizes) total += size;
  return total;
};

/** Returns how many bytes wait for a Socket.IO connection. */
export function queuedFor({ connection: { writeBuffer, transport }, responses }: Unread): number {
  const inNetwork = transport.socket?.bufferedAmount ?? 0;
  // Nearly all connections are idle, and each is checked often.
  if (writeBuffer.length === 0 && !responses?.size) return inNetwork;
  return (
    sum(writeBuffer.map(sizeOf)) + inNetwork + sum([...(responses ?? [])].map(({ writableLength }) => writableLength))
  );
}

/** Returns how many bytes wait for a native one: Colyseus has its own buffer until the client acknowledges its join. */
export function queuedForNative(client: Client, { bufferedAmount }: RawConnection): number {
  const messages: Uint8Array[] = (client as Client & ClientPrivate)._enqueuedMessages ?? [];
  return bufferedAmount + sum(messages.map(({ byteLength }) => byteLength));
}
