import type { DefaultEventsMap, Server, Socket } from "socket.io";
import { voiceActions } from "#shared/contracts/actions.ts";
import type { Caller } from "#shared/contracts/caller.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import { input, text } from "#shared/contracts/fields.ts";
import { callerStands, verifyAccessToken } from "#shared/domain/sessions/access-token.ts";
import { mustBeOpen } from "#shared/domain/settings/maintenance.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { isId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { engine } from "../engine.ts";
import { voiceRoomKind } from "../rooms/voice/voice.room.ts";
import { toEnvelope, toFailure } from "./envelope.ts";
import { takeEvent } from "./event-rate.ts";
import { sessionChannel, userChannel } from "./fanout.ts";

interface SocketData {
  caller: Caller;
  /** Rooms that this socket has joined: they are told when it is gone. */
  rooms: Set<string>;
}

type RoomSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>;

const refresh = input({ token: text(1, 4096).required() });

/** Socket.IO: authenticates each connection once, and makes a command of each of its events. */
export function openGateway(io: Server): void {
  io.use((socket, next) => {
    try {
      const { token } = socket.handshake.auth as { token?: unknown };
      const caller = verifyAccessToken(typeof token === "string" ? token : "");
      Object.assign(socket.data, { caller, rooms: new Set() });
      next();
    } catch (error) {
      const { code, message } = toFailure(error, "handshake");
      next(Object.assign(new Error(message), { data: { code, message } }));
    }
  });
  io.on("connection", (socket) => receive(socket));
}

function receive(socket: RoomSocket): void {
  const { userId, sessionId } = socket.data.caller;
  void socket.join([userChannel(userId), sessionChannel(sessionId)]);
  metrics.connections.inc({ door: "socket" });
  // Whoever was revoked between the handshake and joining his session's channel is not told by the channel.
  try {
    callerStands(socket.data.caller);
  } catch {
    socket.disconnect(true);
  }
  void engine().presence.opened(userId);
  socket.onAny((event: string, ...args: unknown[]) => void answer(socket, event, args));
  socket.on("error", (error: Error) => logger.debug({ err: error }, "socket error"));
  socket.once("disconnect", () => void gone(socket));
}

/** Every event ends here with exactly one answer: the acknowledgement, or an `error` event if there is no function for it. */
async function answer(socket: RoomSocket, event: string, args: unknown[]): Promise<void> {
  const last = args.at(-1);
  const acknowledge = typeof last === "function" ? (last as (envelope: unknown) => void) : undefined;
  let result: Result<unknown>;
  try {
    result = await perform(socket, event, acknowledge && args.length === 1 ? undefined : args[0]);
  } catch (error) {
    result = { ok: false, ...toFailure(error, event) };
  }
  if (acknowledge) return acknowledge(toEnvelope(result));
  if (!result.ok) socket.emit("error", { event: event.slice(0, 64), code: result.code, message: result.message });
}

async function perform(socket: RoomSocket, event: string, payload: unknown): Promise<Result<unknown>> {
  if (engine().rateLimits) await takeEvent(socket.id);
  if (event === "auth:refresh") return refreshToken(socket, payload);
  if (!Object.hasOwn(voiceActions, event)) throw new DomainError("VALIDATION_ERROR", "There is no such event.");
  callerStands(socket.data.caller);
  mustBeOpen();
  const action = event as keyof typeof voiceActions;
  const roomId = (payload as { room_id?: unknown } | undefined)?.room_id;
  if (!isId(roomId)) return checkInput(voiceActions[action].payload.required(), payload);
  const result = await engine().directory.call(voiceRoomKind, roomId, {
    caller: socket.data.caller,
    action,
    input: payload,
    connection: { id: socket.id, door: "socket" },
  });
  if (action === "room:join" && result.ok) await joined(socket, roomId);
  if (action === "room:leave" && result.ok) socket.data.rooms.delete(roomId);
  return result;
}

/** The room is told when the socket is gone; also when it went while it was joining. */
async function joined(socket: RoomSocket, roomId: string): Promise<void> {
  socket.data.rooms.add(roomId);
  if (!socket.connected) await leaveRoom(socket, roomId);
}

function refreshToken(socket: RoomSocket, payload: unknown): Result<unknown> {
  const { token } = checkInput<{ token: string }>(refresh.required(), payload);
  const caller = verifyAccessToken(token);
  if (caller.userId !== socket.data.caller.userId) throw new DomainError("UNAUTHENTICATED");
  socket.data.caller = caller;
  void socket.join(sessionChannel(caller.sessionId));
  return { ok: true, value: {} };
}

async function gone(socket: RoomSocket): Promise<void> {
  metrics.connections.dec({ door: "socket" });
  await Promise.all([...socket.data.rooms].map((roomId) => leaveRoom(socket, roomId)));
  await engine().presence.closed(socket.data.caller.userId);
}

async function leaveRoom(socket: RoomSocket, roomId: string): Promise<void> {
  await engine().directory.callIfAlive(roomId, {
    caller: null,
    action: "connection:drop",
    input: { connection_id: socket.id },
  });
}
