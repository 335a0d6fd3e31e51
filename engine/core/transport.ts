import type { Server as HttpServer, IncomingMessage } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import { CloseCode, getMessageBytes, matchMaker, Protocol } from "@colyseus/core";
import { WebSocketTransport } from "@colyseus/ws-transport";
import { isStreamPath } from "#shared/domain/live/evidence/stream-path.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { leaveRequestsAlone } from "./colyseus-internals.ts";
import type { Nodes } from "./nodes.ts";
import { shareFrames } from "./ws-internals.ts";

/** Largest frame, or request for a place, that a native client may send, bytes. */
export const maxPayload = 16 * 1024;
const hopHeader = "x-hubbub-hop";

/** A connection as the WebSocket server has it. */
export type RawConnection = Pick<
  Parameters<WebSocketTransport["onConnection"]>[0],
  "CLOSED" | "OPEN" | "bufferedAmount" | "readyState" | "terminate"
> & { on(frame: "ping" | "pong", listener: () => void): unknown };

/** Native connections dial `/<process id>/<room id>`. */
const nativePath = /^\/([\w-]+)\/([\w-]+)(?:\?|$)/;

const ownerOf = (req: IncomingMessage): string | undefined => nativePath.exec(req.url ?? "")?.[1];

/**
 * Colyseus on a port that it shares: it sees only its own upgrades, and no requests. (By default it takes every upgrade
 * and puts itself, with a CORS policy of its own, before every request.)
 */
export class SharedPortTransport extends WebSocketTransport {
  readonly #http: HttpServer;

  constructor(http: HttpServer) {
    super({ noServer: true, maxPayload });
    this.#http = http;
    this.attachToServer(http, { filter: (req) => ownerOf(req) === matchMaker.processId });
    // Without a server of its own core calls `bindRouter` and leaves the requests alone.
    leaveRequestsAlone(this as { server?: unknown });
  }

  /** Every native connection, joined or not. */
  get connections(): ReadonlySet<RawConnection> {
    return this.wss.clients;
  }

  /** Calls `listener` for every native connection that opens. */
  onOpened(listener: (raw: RawConnection) => void): void {
    this.wss.on("connection", listener);
  }

  /** Matchmaking has a handler of ours, `bridge/matchmaking.ts`. */
  override bindRouter(): void {}

  /** `shared/main/service.ts` listens; this only lets Colyseus begin. */
  override listen(_port: number | string, _host?: string, _backlog?: number, listening?: () => void): this {
    listening?.();
    return this;
  }

  /** Says in our terms that nothing is reserved for a connection; Colyseus' own message has no code. */
  protected override async onConnection(
    ...[raw, req, upgrade]: Parameters<WebSocketTransport["onConnection"]>
  ): Promise<void> {
    const { pathname, searchParams } = new URL(`ws://server${req.url}`);
    const room = matchMaker.getLocalRoomById(nativePath.exec(pathname)?.[2] ?? "");
    const [sessionId, token] = [
      searchParams.get("sessionId") ?? "",
      searchParams.get("reconnectionToken") ?? undefined,
    ];
    if (room?.hasReservedSeat(sessionId, token)) {
      shareFrames(raw);
      return super.onConnection(raw, req, upgrade);
    }

    const { status, code, message } = new DomainError("NOT_FOUND", "This reservation has expired. Join again.");
    raw.on("error", (error) => logger.debug({ err: error }, "native connection"));
    raw.send(getMessageBytes[Protocol.ERROR](status, `${code}: ${message}`), () => raw.close(CloseCode.WITH_ERROR));
  }

  /**
   * The last to see an upgrade: hands native connections whose actor lives in another process to that process, and
   * rejects unknown ones. `sockets`: those of Socket.IO are handled elsewhere.
   */
  routeOtherUpgrades(nodes: Nodes, { sockets }: { sockets: boolean }): void {
    this.#http.on("upgrade", (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      if ((sockets && req.url?.startsWith("/socket.io/")) || isStreamPath(req.url)) return;
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
