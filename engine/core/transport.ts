import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { matchMaker, type Router, toNodeHandler } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import type { RequestHandler } from "express";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { Nodes } from "./nodes.ts";

/** Largest frame, or request for a place, that a native client may send, bytes. */
const maxPayload = 16 * 1024;
const hopHeader = "x-hubbub-hop";

type NodeHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Native connections dial `/<process id>/<room id>`. */
const nativePath = /^\/([\w-]+)\/([\w-]+)(?:\?|$)/;

const ownerOf = (req: IncomingMessage): string | undefined => nativePath.exec(req.url ?? "")?.[1];

/**
 * Colyseus on a port that it shares: it sees only its own upgrades, and its matchmaking is a handler that Express calls.
 * (By default it takes every upgrade and puts itself, with a CORS policy of its own, before every request.)
 */
export class SharedPortTransport extends WebSocketTransport {
  readonly #http: HttpServer;
  #matchmake: NodeHandler | undefined;

  constructor(http: HttpServer) {
    super({ noServer: true, maxPayload });
    this.#http = http;
    this.attachToServer(http, { filter: (req) => ownerOf(req) === matchMaker.processId });
    // Without a server of its own core calls `bindRouter` and leaves the requests alone.
    (this as { server: unknown }).server = undefined;
  }

  override bindRouter(router: Router): void {
    this.#matchmake = toNodeHandler(router.handler) as unknown as NodeHandler;
  }

  /** `main.ts` listens; this only lets Colyseus begin. */
  override listen(_port: number | string, _host?: string, _backlog?: number, listening?: () => void): this {
    listening?.();
    return this;
  }

  /** Goes before any body parser: the router reads the stream itself, however long it is. */
  readonly matchmake: RequestHandler = (req, res, next) => {
    if (!req.path.startsWith("/matchmake/") || !this.#matchmake) return next();
    if (Number(req.headers["content-length"] ?? 0) > maxPayload || req.headers["transfer-encoding"] !== undefined)
      return next(new DomainError("PAYLOAD_TOO_LARGE"));
    this.#matchmake(req, res).catch(next);
  };

  /**
   * The last to see an upgrade: hands native connections whose actor lives in another process to that process, and
   * rejects unknown ones. `sockets`: those of Socket.IO are handled elsewhere.
   */
  routeOtherUpgrades(nodes: Nodes, { sockets }: { sockets: boolean }): void {
    this.#http.on("upgrade", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (sockets && req.url?.startsWith("/socket.io/")) return;
      const owner = ownerOf(req);
      if (owner === matchMaker.processId) return;
      socket.on("error", () => socket.destroy());
      void passOn(nodes, owner, req, socket, head);
    });
  }
}

async function passOn(nodes: Nodes, owner: string | undefined, req: IncomingMessage, socket: Duplex, head: Buffer) {
  const address = owner && !req.headers[hopHeader] ? await nodes.addressOf(owner).catch(() => undefined) : undefined;
  if (!address) {
    socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    return;
  }
  const colon = address.lastIndexOf(":");
  const upstream = connect(Number(address.slice(colon + 1)), address.slice(0, colon), () => {
    const headers = req.rawHeaders.map((value, index) => (index % 2 === 0 ? `${value}: ` : `${value}\r\n`)).join("");
    upstream.write(`GET ${req.url} HTTP/1.1\r\n${headers}${hopHeader}: 1\r\n\r\n`);
    if (head.length > 0) upstream.write(head);
    socket.pipe(upstream).pipe(socket);
  });
  upstream.on("error", (error) => {
    logger.debug({ err: error, address }, "native connection could not be passed on");
    socket.destroy();
  });
  socket.on("close", () => upstream.destroy());
  upstream.on("close", () => socket.destroy());
}
