import type { Server } from "socket.io";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import type { Fanout } from "./fanout.ts";

/** Bytes that may wait for one connection. A reader this far behind is cut; it reconnects and asks `room:sync`. */
const queuedBytesMax = 1024 * 1024;
const checkMs = 250;

interface Waiting {
  readonly data?: unknown;
}

/** What engine.io holds for a connection: packets not yet given to the transport, and bytes not yet taken by the network. */
interface EngineConnection {
  readonly writeBuffer: readonly Waiting[];
  readonly transport: { readonly socket?: { readonly bufferedAmount?: number } };
}

/** What `ws` holds for a native client. */
interface NativeConnection {
  readonly bufferedAmount: number;
  terminate(): void;
}

const sizeOf = ({ data }: Waiting): number =>
  typeof data === "string" ? data.length : data instanceof Uint8Array ? data.byteLength : 0;

function queuedBytes({ writeBuffer, transport }: EngineConnection): number {
  const waiting = writeBuffer.reduce((sum, packet) => sum + sizeOf(packet), 0);
  return waiting + (transport.socket?.bufferedAmount ?? 0);
}

/** Cuts connections that do not read. Returns a function that stops this. */
export function cutSlowReaders(io: Server, fanout: Fanout): () => void {
  const timer = setInterval(() => {
    for (const socket of io.of("/").sockets.values()) {
      if (queuedBytes(socket.conn as unknown as EngineConnection) <= queuedBytesMax) continue;
      note("socket");
      // Not `disconnect`: a farewell would wait behind everything else that is not read.
      socket.conn.close(true);
    }
    for (const client of fanout.allNatives()) {
      const connection = client.ref as unknown as NativeConnection;
      if (connection.bufferedAmount <= queuedBytesMax) continue;
      note("native");
      connection.terminate();
    }
  }, checkMs);
  return () => clearInterval(timer);
}

function note(transport: string): void {
  metrics.connectionsCut.inc({ reason: "slow_reader" });
  logger.info({ transport }, "cut a connection that does not read");
}
