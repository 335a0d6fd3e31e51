import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { type Client, ClientState } from "@colyseus/core";
import type { Server, Socket } from "socket.io";
import { anonymousMax } from "#shared/contracts/client-events.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { clock, minutesMs, secondsMs } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { messagesBeforeJoin } from "../core/colyseus-internals.ts";
import type { RawConnection, SharedPortTransport } from "../core/transport.ts";
import { engine } from "../engine.ts";
import { countPolling, countUpgrade } from "./connection-gauge.ts";
import type { Fanout } from "./fanout.ts";
import { frameLimit, limitControls } from "./frame-limit.ts";
import { endNative, nativeCaller } from "./native-room.ts";
import {
  assertConnection,
  connectionOf,
  type EngineConnection,
  polledConnection,
  queuedFor,
  type Unread,
} from "./socketio-internals.ts";

/**
 * How many bytes may wait for one connection. Beyond this, it is closed; the client reconnects and sends `room:sync`.
 */
const queuedBytesMax = 1024 * 1024;
const checkMs = 250;
/** Open connections that have read everything, which nearly all have, are checked once in so many checks. */
const checksEach = 8;
/** How long a connection hears events after its token has expired. */
const expiredMs = minutesMs(1);
/** A response to a poll is cut if it makes no progress for this long. Engine.IO answers each poll within 25 s. */
const stalledPollMs = secondsMs(45);
const lastPollMs = secondsMs(2);

/**
 * `nameless`: without a user, because its client has not signed in yet, or has signed out. `joining`: the native client
 * has not acknowledged that it is in the room.
 */
type Phase = "nameless" | "joining" | "open" | "closing";

/** How long a connection may be in each phase, milliseconds. */
const phaseLimitsMs: Record<Phase, number> = {
  nameless: secondsMs(10),
  joining: secondsMs(10),
  open: Number.POSITIVE_INFINITY,
  closing: secondsMs(5),
};

/** Why a connection was cut, as counted. */
type Reason =
  | "flooded"
  | "slow_reader"
  | "token_expired"
  | "too_many"
  | "no_sign_in"
  | "not_acknowledged"
  | "not_closed";

const lateIn: Record<Phase, Reason> = {
  nameless: "no_sign_in",
  joining: "not_acknowledged",
  open: "slow_reader",
  closing: "not_closed",
};

/** A Socket.IO connection, from its first request to its end. */
interface Watched extends Unread, Current {
  /** Where it comes from, as long as it has no user. */
  anonymousAt: string | undefined;
  socket?: Socket;
}

interface WatchedParts {
  readonly http: HttpServer;
  readonly io: Server;
  readonly transport: SharedPortTransport;
  readonly fanout: Fanout;
  /** Returns the address that a connection comes from. */
  readonly addressOf: (req: IncomingMessage) => string;
}

/** What a connection is doing, since when. */
interface Current {
  phase: Phase;
  sinceMs: number;
}

/**
 * Watches every realtime connection of this process, in any state: cuts those that don't read, that don't finish
 * signing in, joining, or closing, and those whose token has expired. Counts them.
 */
export class ConnectionWatch {
  readonly #sockets = new Map<string, Watched>();
  /** Those that are not open, or have not read everything. */
  readonly #busy = new Set<Watched>();
  readonly #transport: SharedPortTransport;
  readonly #fanout: Fanout;
  /** How many connections from each address have no user yet. */
  readonly #anonymous = new Map<string, number>();
  readonly #addressOf: (req: IncomingMessage) => string;
  /** WebSockets that Socket.IO has let go of, until their peers have closed them, too. */
  readonly #closing = new Set<RawConnection>();
  /** When each connection entered its phase. */
  readonly #phases = new WeakMap<object, Current>();
  readonly #timer: NodeJS.Timeout;
  #checks = 0;

  constructor({ http, io, transport, fanout, addressOf }: WatchedParts) {
    this.#addressOf = addressOf;
    this.#transport = transport;
    this.#fanout = fanout;
    http.on("upgrade", countUpgrade);
    transport.onOpened((raw) =>
      limitControls(
        raw,
        frameLimit(() => {
          note("native", "flooded");
          raw.terminate();
        }),
      ),
    );
    io.engine.on("connection", (connection: EngineConnection) => this.#opened(connection));
    io.engine.use((req: IncomingMessage, res: ServerResponse, next: () => void) => {
      this.#polled(req, res);
      next();
    });
    io.on("connection", (socket) => {
      const watched = this.#sockets.get(connectionOf(socket).id);
      if (watched) {
        watched.socket = socket;
        this.#named(watched);
      }
      // Without its socket a connection would stay open unseen: there is one namespace.
      socket.on("disconnect", () => {
        if (watched) delete watched.socket;
        socket.conn.close();
      });
    });
    this.#timer = setInterval(() => this.#check(), checkMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #opened(connection: EngineConnection): void {
    assertConnection(connection);
    const watched: Watched = {
      connection,
      anonymousAt: this.#addressOf(connection.request),
      phase: "nameless",
      sinceMs: clock.now(),
    };
    this.#sockets.set(connection.id, watched);
    this.#busy.add(watched);
    this.#countAnonymous(watched);
    const count = frameLimit(() => {
      note("socket", "flooded");
      cutSocket(watched);
    });
    connection.on("packet", count);
    if (connection.transport.socket) limitControls(connection.transport.socket, count);
    else {
      countPolling(connection);
      connection.once("upgrade", ({ socket }) => limitControls(socket!, count));
    }
    connection.on("close", () => {
      this.#sockets.delete(connection.id);
      this.#busy.delete(watched);
      this.#named(watched);
      for (const response of watched.responses ?? []) response.setTimeout(lastPollMs, () => response.destroy());
      if (connection.transport.socket) this.#closing.add(connection.transport.socket);
    });
  }

  /** Counts the connection as anonymous. Cuts it when its address has too many. */
  #countAnonymous({ connection, anonymousAt: address }: Watched): void {
    const count = (this.#anonymous.get(address!) ?? 0) + 1;
    this.#anonymous.set(address!, count);
    if (count > anonymousMax && engine().rateLimits)
      // After the handshake, which continues in this turn of the event loop.
      setImmediate(() => {
        const watched = this.#sockets.get(connection.id);
        if (!watched) return;
        note("socket", "too_many");
        cutSocket(watched);
      });
  }

  /** Counts the connection as signed in, or closed. */
  #named(watched: Watched): void {
    const { anonymousAt: address } = watched;
    if (address === undefined) return;
    watched.anonymousAt = undefined;
    const count = this.#anonymous.get(address)! - 1;
    if (count > 0) this.#anonymous.set(address, count);
    else this.#anonymous.delete(address);
  }

  #polled(req: IncomingMessage, res: ServerResponse): void {
    const watched = this.#sockets.get(polledConnection(req));
    if (!watched || typeof res.setTimeout !== "function") return;
    watched.responses ??= new Set();
    const { responses } = watched;
    responses.add(res);
    res.setTimeout(stalledPollMs, () => res.destroy());
    res.once("close", () => responses.delete(res));
  }

  #check(): void {
    const nowMs = clock.now();
    this.#checks += 1;
    const due = this.#checks % checksEach === 0 ? this.#sockets.values() : this.#busy;
    for (const watched of due) this.#checkSocket(watched, nowMs);
    for (const raw of this.#closing)
      if (raw.readyState === raw.CLOSED) this.#closing.delete(raw);
      else if (faultOf(this.#currentOf(raw, "closing", nowMs), raw.bufferedAmount, undefined, nowMs)) raw.terminate();

    const clients = new Map(this.#fanout.allNatives().map((client) => [client.ref as unknown, client]));
    for (const raw of this.#transport.connections) this.#checkNative(raw, clients.get(raw), nowMs);
  }

  #checkSocket(watched: Watched, nowMs: number): void {
    const { connection, socket } = watched;
    enter(watched, connection.readyState === "closing" ? "closing" : socket ? "open" : "nameless", nowMs);
    const { caller } = (socket?.data ?? {}) as { caller?: UserPrincipal };
    const queued = queuedFor(watched);
    if (watched.phase === "open" && queued === 0) this.#busy.delete(watched);
    else this.#busy.add(watched);
    const reason = faultOf(watched, queued, caller, nowMs);
    if (!reason) return;
    note("socket", reason);
    if (reason === "token_expired") socket?.disconnect(true);
    else cutSocket(watched);
  }

  #checkNative(raw: RawConnection, client: Client | undefined, nowMs: number): void {
    const waiting = client ? messagesBeforeJoin(client) : [];
    const queued = raw.bufferedAmount + waiting.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
    const current = this.#currentOf(raw, phaseOfNative(raw, client), nowMs);
    const reason = faultOf(current, queued, client && nativeCaller(client), nowMs);
    if (!reason) return;
    note("native", reason);
    if (client && reason === "token_expired") endNative(client, closeCodes.tokenExpired, "TOKEN_EXPIRED");
    else raw.terminate();
  }

  #currentOf(raw: RawConnection, phase: Phase, nowMs: number): Current {
    const current = this.#phases.get(raw) ?? { phase, sinceMs: nowMs };
    this.#phases.set(raw, current);
    enter(current, phase, nowMs);
    return current;
  }
}

function enter(current: Current, phase: Phase, nowMs: number): void {
  if (current.phase === phase) return;
  current.phase = phase;
  current.sinceMs = nowMs;
}

/** Returns why a connection must end, if it must. */
function faultOf(
  { phase, sinceMs }: Current,
  queued: number,
  caller: UserPrincipal | undefined,
  nowMs: number,
): Reason | undefined {
  if (queued > queuedBytesMax) return "slow_reader";
  if (nowMs - sinceMs > phaseLimitsMs[phase]) return lateIn[phase];
  return phase !== "closing" && caller && caller.expiresAtMs + expiredMs <= nowMs ? "token_expired" : undefined;
}

function phaseOfNative(raw: RawConnection, client: Client | undefined): Phase {
  if (raw.readyState !== raw.OPEN) return "closing";
  if (!client) return "nameless";
  return client.state === ClientState.JOINED ? "open" : "joining";
}

/** Not an orderly disconnect: its last message would wait behind everything else that is not read. */
function cutSocket({ connection, responses }: Watched): void {
  const raw = connection.transport.socket;
  connection.onClose("forced close");
  raw?.terminate();
  for (const response of responses ?? []) response.destroy();
}

function note(transport: string, reason: Reason): void {
  metrics.connectionsCut.inc({ reason });
  logger.info({ transport, reason }, "cut a connection");
}
