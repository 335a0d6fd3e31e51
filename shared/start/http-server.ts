import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { isLoopbackAddress } from "#shared/kernel/internet-address.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** How long pending requests may take to finish on shutdown, milliseconds. */
const drainMs = 3000;

/**
 * How long a connection may be idle, milliseconds. Longer than the timeout of proxies and clients (usually a minute),
 * so that they close it first: a request sent while the server closes the connection would be lost.
 */
const idleMs = 65_000;

/** How long a client may take to send a request, milliseconds. Bodies have at most 64 KB. */
const slowest = { headersMs: 10_000, requestMs: 30_000 };

/** Creates a server that closes connections whose requests take too long to arrive, however steadily they drip. */
export const makeServer = (handle: RequestListener, { headersMs, requestMs } = slowest): Server =>
  createServer(
    { headersTimeout: headersMs, requestTimeout: requestMs, connectionsCheckingInterval: headersMs / 4 },
    handle,
  );

/** The unfinished responses of each server. */
const pendingResponses = new WeakMap<Server, Set<ServerResponse>>();

/**
 * Starts listening. Returns the URL to show, such as `http://127.0.0.1:3000`.
 * @throws OperatorError if the port or the host can't be used.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  const responses = new Set<ServerResponse>();
  pendingResponses.set(server, responses);
  server.keepAliveTimeout = idleMs;
  server.prependListener("request", (_request, response: ServerResponse) => {
    responses.add(response);
    response.once("close", () => responses.delete(response));
  });
  await bind(server, host, port);
  const { family, address, port: bound } = server.address() as AddressInfo;
  const everywhere = address === "0.0.0.0" || address === "::";
  const name = everywhere ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${bound}`;
}

/** @throws OperatorError if the port or the host can't be used now */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer();
  await bind(server, host, port);
  await new Promise((resolve) => server.close(resolve));
}

const bind = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(explained(error, host, port));
    server.once("error", refuse);
    server.listen(port, host, () => {
      server.off("error", refuse);
      resolve();
    });
  });

/**
 * Returns the URLs at which other machines reach a server; none if it listens on loopback only. `url`: where it
 * listens.
 */
export function networkUrls(host: string, url: string): string[] {
  const { hostname } = new URL(url);
  if (host !== "0.0.0.0" && host !== "::") return isLoopbackAddress(hostname.replace(/[[\]]/g, "")) ? [] : [url];
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ family, internal }) => family === "IPv4" && !internal)
    .map(({ address }) => `http://${address}:${new URL(url).port}`);
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is already in use. Stop the other program, or set PORT to another port. PORT=0 selects a free port.`,
    EACCES: `No permission to listen on port ${port}. Set PORT to a port above 1023.`,
    EADDRNOTAVAIL: `${host} isn't an address of this machine. Set HOST to one that is, or to 0.0.0.0 for all addresses.`,
    ENOTFOUND: `Can't resolve the host name ${host}. Set HOST to an IP address of this machine, or to 0.0.0.0 for all addresses.`,
  };
  const reason = reasons[error.code ?? ""];
  return reason ? new OperatorError(reason, { cause: error }) : error;
}

/**
 * Stops accepting connections and waits up to 3 s for pending requests. Doesn't wait for WebSocket connections, which
 * their owners close.
 */
export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeIdleConnections();
  const deadline = performance.now() + drainMs;
  while (pendingResponses.get(server)?.size && performance.now() < deadline) await pause(20);
  server.closeAllConnections();
}
