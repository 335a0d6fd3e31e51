import { matchMaker } from "@colyseus/core";
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import { voiceActions } from "#shared/contracts/actions.ts";
import type { EventPayloads, ServerEvent } from "#shared/contracts/events.ts";
import { service, type UserPrincipal } from "#shared/contracts/principal.ts";
import type { Result } from "#shared/kernel/domain-error.ts";
import type { Language } from "#shared/kernel/languages.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { isRefused } from "../core/failures.ts";
import { engine } from "../engine.ts";
import { admitConnection, assertStillAdmitted, leavesWithSession } from "./admission.ts";
import { type ClientConnection, dispatch } from "./dispatch.ts";
import { errorEventOf, errorOf, languageAsked, spoken, toEnvelope, toFailure } from "./envelope.ts";
import { roomChannel, type SessionAdmission, sessionChannel, userChannel } from "./fanout.ts";
import { untilNotified } from "./notify-room.ts";
import { rejoinAlone } from "./rejoin.ts";
import { forgetHandshake } from "./socketio-internals.ts";

interface SocketData {
  caller: UserPrincipal;
  /** Asked for by the handshake. */
  language: Language | undefined;
  /** The session was ended on purpose, so its memberships of rooms end without a grace period. */
  ended?: boolean;
  /** Rooms that this socket has joined, or may have joined, if any. They are notified when it disconnects. */
  rooms?: Set<string>;
}

type Emitted = { [E in ServerEvent]: (payload: EventPayloads[E]) => void };
export type RoomSocket = Socket<DefaultEventsMap, Emitted, DefaultEventsMap, SocketData>;

/** Socket.IO: authenticates each connection once, and dispatches each of its events. */
export function openGateway(io: Server): void {
  io.use(async (socket, next) => {
    const { token, language: given } = socket.handshake.auth as { token?: unknown; language?: unknown };
    const language = languageAsked(given, socket.handshake.headers["accept-language"]);
    try {
      const caller = await admitConnection(token, engine().addressOf(socket.request));
      const closed = await engine().connections.open(caller.userId);
      socket.conn.on("close", closed);
      // It may have ended meanwhile.
      if (socket.conn.readyState !== "open") closed();
      Object.assign(socket.data, { caller, language });
      next();
    } catch (error) {
      const failure = await spoken(toFailure(error, "handshake"), undefined, language);
      next(Object.assign(new Error(failure.message), { data: errorOf(failure) }));
    }
  });
  io.on("connection", (socket) => receive(socket));
  engine().fanout.onAdmission((admission) => {
    for (const id of io.of("/").adapter.rooms.get(sessionChannel(admission.sessionId)) ?? []) {
      const socket = io.of("/").sockets.get(id);
      if (socket) void addTo(admission, socket);
    }
  });
}

/** Lets a socket receive the events of a room that its user has joined by REST. Never rejects. */
async function addTo({ roomId, userId, joinId }: SessionAdmission, socket: RoomSocket): Promise<void> {
  const { connection } = connectionOf(socket);
  const input = { user_id: userId, join_id: joinId, connection };
  const added = await engine().directory.call("voice_room", roomId, {
    principal: service,
    action: "connection:add",
    input,
  });
  if (isRefused(added) || (added.ok && !added.value.added)) return;
  addRoom(socket, roomId);
  if (!socket.connected) await leaveRoom(socket, roomId);
}

function receive(socket: RoomSocket): void {
  forgetHandshake(socket);
  const { userId, sessionId } = socket.data.caller;
  void socket.join([userChannel(userId), sessionChannel(sessionId)]);
  // One that was revoked or kept out between the handshake and joining its channels is not closed by them.
  try {
    assertStillAdmitted(socket.data.caller);
  } catch {
    socket.disconnect(true);
    return;
  }
  void engine().presence.opened(userId);
  // The protocol lets an event's name be a number.
  socket.onAny((event: unknown, ...args: unknown[]) => void answer(socket, String(event), args));
  socket.on("error", logError);
  socket.on("disconnect", () => void gone(socket));
}

const logError = (error: Error) => logger.debug({ err: error }, "socket error");

/**
 * Every event ends here with exactly one answer: the acknowledgement, or an `error` event if there is no function for
 * it.
 */
async function answer(socket: RoomSocket, event: string, args: unknown[]): Promise<void> {
  const last = args.at(-1);
  const acknowledge = typeof last === "function" ? (last as (envelope: unknown) => void) : undefined;
  let result: Result<unknown>;
  try {
    result = await perform(socket, event, acknowledge && args.length === 1 ? undefined : args[0]);
  } catch (error) {
    result = { ok: false, ...toFailure(error, event) };
  }
  if (!result.ok) result = { ...result, ...(await spoken(result, socket.data.caller.userId, socket.data.language)) };
  engine().fanout.catchUp(socket.id);
  if (acknowledge) return acknowledge(toEnvelope(result));
  if (!result.ok) socket.emit("error", errorEventOf(event, result));
}

async function perform(socket: RoomSocket, event: string, payload: unknown): Promise<Result<unknown>> {
  let result = await dispatch(connectionOf(socket), event, payload);
  // A new actor doesn't know the members of its predecessor before their processes have heard of it.
  if (isForgotten(socket, result, payload) && (await rejoinAlone(socket, roomIdIn(payload))))
    result = await dispatch(connectionOf(socket), event, payload);

  // After the answer, because other events of this connection may be in progress: the last result counts.
  if (event === "room:leave" && result.ok) socket.data.rooms?.delete(roomIdIn(payload));
  // A member who acts over a connection is connected by it.
  else if (Object.hasOwn(voiceActions, event) && !isRefused(result)) {
    addRoom(socket, roomIdIn(payload));
    if (!socket.connected) await leaveRoom(socket, roomIdIn(payload));
  }
  return result;
}

function addRoom({ data }: RoomSocket, roomId: string): void {
  data.rooms ??= new Set();
  data.rooms.add(roomId);
}

const connectionOf = (socket: RoomSocket): ClientConnection => ({
  connection: { id: socket.id, processId: matchMaker.processId, transport: "socket" },
  end: () => void setImmediate(() => endFlooding(socket)),
  get caller() {
    return socket.data.caller;
  },
  set caller(caller) {
    // The connection no longer ends with the session that opened it.
    if (caller.sessionId !== socket.data.caller.sessionId)
      void socket.leave(sessionChannel(socket.data.caller.sessionId));
    void socket.join(sessionChannel(caller.sessionId));
    socket.data.caller = caller;
  },
});

function endFlooding(socket: RoomSocket): void {
  if (!socket.connected) return;
  metrics.connectionsCut.inc({ reason: "flooded" });
  socket.disconnect(true);
}

/** Returns the room that a validated payload names, in the canonical form of IDs. */
const roomIdIn = (payload: unknown): string => (payload as { room_id: string }).room_id.toLowerCase();

/** Returns whether a room rejected a member of its last actor. */
function isForgotten({ rooms }: RoomSocket, result: Result<unknown>, payload: unknown): boolean {
  const { room_id } = (payload ?? {}) as { room_id?: unknown };
  return (
    !result.ok &&
    result.code === "NOT_A_MEMBER" &&
    typeof room_id === "string" &&
    rooms.has(roomChannel(roomIdIn(payload)))
  );
}

async function gone(socket: RoomSocket): Promise<void> {
  // First, so that its rooms see whether the user is still online.
  await engine().presence.closed(socket.data.caller.userId);
  await Promise.all([...(socket.data.rooms ?? [])].map((roomId) => leaveRoom(socket, roomId)));
}

/** Never rejects. */
const leaveRoom = ({ id, data }: RoomSocket, roomId: string): Promise<void> =>
  untilNotified(roomId, "connection:drop", { connection_id: id, ended: data.ended ?? false });

/** Ends the sockets of this process in these channels, and `those`, whose sessions were ended on purpose. */
export function endSockets(io: Server, channels: readonly string[], those?: (caller: UserPrincipal) => boolean): void {
  const { sockets, adapter } = io.of("/");
  const named = channels.flatMap((channel) => [...(adapter.rooms.get(channel) ?? [])]);
  for (const id of those ? [...sockets.keys()] : named) {
    const socket = sockets.get(id) as RoomSocket | undefined;
    if (!socket || those?.(socket.data.caller) === false) continue;
    socket.data.ended = leavesWithSession(socket.data.caller);
    socket.disconnect(true);
  }
}
