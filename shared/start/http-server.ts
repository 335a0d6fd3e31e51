import type { Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { OperatorError } from "#shared/kernel/operator-error.ts";

/** How long requests in work may take to finish when the service ends, milliseconds. */
const drainMs = 3000;

/**
 * How long a connection may lie idle, milliseconds: longer than proxies and clients keep theirs, a minute mostly. Who ends it
 * first must be they: a request sent at the moment when the server does is lost.
 */
const idleMs = 65_000;

/** The answers that each server has not yet finished. */
const inWork = new WeakMap<Server, Set<ServerResponse>>();

/**
 * Opens the port; answers the address for people, such as `http://127.0.0.1:3000`.
 * @throws OperatorError that says what to change when the port or the host cannot be had.
 */
export async function listen(server: Server, host: string, port: number): Promise<string> {
  const answers = new Set<ServerResponse>();
  inWork.set(server, answers);
  server.keepAliveTimeout = idleMs;
  server.prependListener("request", (_request, answer: ServerResponse) => {
    answers.add(answer);
    answer.once("close", () => answers.delete(answer));
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(explained(error, host, port));
    server.once("error", refuse);
    server.listen(port, host, () => {
      server.off("error", refuse);
      resolve();
    });
  });
  const { family, address, port: bound } = server.address() as AddressInfo;
  const everywhere = address === "0.0.0.0" || address === "::";
  const name = everywhere ? "localhost" : family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${bound}`;
}

function explained(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} of ${host} is taken by another program. Stop it, or set PORT to another one; PORT=0 takes a free one.`,
    EACCES: `Port ${port} is not for ordinary users. Set PORT to one above 1023.`,
    EADDRNOTAVAIL: `${host} is no address of this machine. Set HOST to one; 0.0.0.0 is all of them.`,
    ENOTFOUND: `${host} is no known name of this machine. Set HOST to an address; 0.0.0.0 is all of them.`,
  };
  const reason = reasons[error.code ?? ""];
  return reason ? new OperatorError(reason, { cause: error }) : error;
}

/**
 * Takes no more connections and waits for the requests in work, at most 3 s. What was upgraded to a WebSocket is not
 * waited for: those whose connections they are end them.
 */
export async function closeServer(server: Server): Promise<void> {
  server.close();
  server.closeIdleConnections();
  const deadline = performance.now() + drainMs;
  while (inWork.get(server)?.size && performance.now() < deadline) await pause(20);
  server.closeAllConnections();
}
