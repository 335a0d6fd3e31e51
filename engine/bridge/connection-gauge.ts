import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { metrics } from "#shared/kernel/metrics.ts";

interface PollingConnection {
  once(change: "close" | "upgrade", listener: () => void): void;
}

/** A WebSocket is counted for as long as its descriptor is open, joined or not. */
export function countUpgrade({ url }: IncomingMessage, socket: Duplex): void {
  const transport = url?.startsWith("/socket.io/") ? "socket" : "native";
  metrics.connections.inc({ transport });
  socket.on("close", ended[transport]);
}

/** One function for all connections, of which there are many. */
const ended = {
  socket: () => metrics.connections.dec({ transport: "socket" }),
  native: () => metrics.connections.dec({ transport: "native" }),
};

/** A connection by polling has no descriptor of its own; once it is upgraded, it has. */
export function countPolling(connection: PollingConnection): void {
  let counted = true;
  metrics.connections.inc({ transport: "socket" });
  const end = () => {
    if (counted) metrics.connections.dec({ transport: "socket" });
    counted = false;
  };
  connection.once("upgrade", end);
  connection.once("close", end);
}
