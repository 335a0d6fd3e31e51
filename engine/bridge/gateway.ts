import { matchMaker } from "@colyseus/core";
import type { DefaultEventsMap, Server, Socket } from "socket.io";
import { connectionActions, voiceActions } from "#shared/contracts/actions.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import { callerStands, verifyAccessToken } from "#shared/domain/sessions/access-token.ts";
import { mustBeOpen } from "#shared/domain/settings/maintenance.ts";
import { DomainError, type Result, unwrap } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { voiceRoomKind } from "../core/kinds.ts";
import { engine } from "../engine.ts";
import { toEnvelope, toFailure } from "./envelope.ts";
import { mustAdmit, takeEvent } from "./event-rate.ts";
import { sessionChannel, userChannel } from "./fanout.ts";
import { roomIdIn } from "./room-id.ts";
import { untilDone } from "./until-done.ts";
import { isUserEvent, performUserEvent } from "./user-events.ts";

interface SocketData {
  caller: UserPrincipal;
  /** Rooms that this socket has joined, or may have: they are told when it is gone. */
  rooms: Set<string>;
}

type RoomSocket = Socket<DefaultEventsMap, DefaultEventsMap, DefaultEventsMap, SocketData>;

const refresh = connectionActions["auth:refresh"].payload.required();

/** Socket.IO: authenticates each connection once, and makes a command of each of its events. */
export function openGateway(io: Server): void {
  io.use(async (socket, next) => {
    try {
      const { token } = socket.handshake.auth as { token?: unknown };
      const caller = verifyAccessToken(typeof token === "string" ? token : "");
      await mustAdmit(caller.userId);
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
  // Whoever was revoked between the handshake and joining his session's channel is not told by the channel.
  try {
    callerStands(socket.data.caller);
  } catch {
    socket.disconnect(true);
    return;
  }
  metrics.connections.inc({ door: "socket" });
  void engine().presence.opened(userId);
  // The protocol lets an event's name be a number.
  socket.onAny((event: unknown, ...args: unknown[]) => void answer(socket, String(event), args));
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
  // Of the connection, which may be a socket more than once.
  if (engine().rateLimits) await takeEvent((socket.conn as unknown as { id: string }).id);
  if (event === "auth:refresh") return refreshToken(socket, payload);
  const userEvent = isUserEvent(event);
  if (!userEvent && !Object.hasOwn(voiceActions, event))
    throw new DomainError("VALIDATION_ERROR", "There is no such event.");
  callerStands(socket.data.caller);
  mustBeOpen();
  if (userEvent) return performUserEvent(socket.data.caller, event, payload);
  const action = event as keyof typeof voiceActions;
  const roomId = roomIdIn(payload);
  if (!roomId) {
    checkInput(voiceActions[action].payload.required(), payload);
    throw new DomainError("NOT_FOUND");
  }
  const result = await engine().directory.call(voiceRoomKind, roomId, {
    caller: socket.data.caller,
    action,
    input: payload,
    connection: { id: socket.id, processId: matchMaker.processId, door: "socket" },
  });
  const { rooms } = socket.data;
  // After the answer, since others of this connection may be under way: it stands for what became true last.
  if (action === "room:leave" && result.ok) rooms.delete(roomId);
  if (action === "room:join" && !isRefused(result)) {
    rooms.add(roomId);
    if (!socket.connected) await leaveRoom(socket, roomId);
  }
  return result;
}

/** Certainly not done. Of what failed for a reason of ours it is not known. */
const isRefused = (result: Result<unknown>): boolean =>
  !result.ok && result.code !== "ENGINE_UNAVAILABLE" && result.code !== "INTERNAL_ERROR";

function refreshToken(socket: RoomSocket, payload: unknown): Result<unknown> {
  const { token } = checkInput(refresh, payload);
  const caller = verifyAccessToken(token);
  if (caller.userId !== socket.data.caller.userId) throw new DomainError("UNAUTHENTICATED");
  const { sessionId } = socket.data.caller;
  socket.data.caller = caller;
  void socket.join(sessionChannel(caller.sessionId));
  // The end of the session that it was opened with is not its end any more.
  if (sessionId !== caller.sessionId) void socket.leave(sessionChannel(sessionId));
  return { ok: true, value: {} };
}

async function gone(socket: RoomSocket): Promise<void> {
  metrics.connections.dec({ door: "socket" });
  const left = [...socket.data.rooms].map((roomId) => leaveRoom(socket, roomId));
  await engine().presence.closed(socket.data.caller.userId);
  await Promise.all(left);
}

/** When the room is told again if it is out of reach: it keeps a place for whoever it takes to be connected. */
const pausesMs = [500, 2000, 10_000];

/** Never rejects. */
function leaveRoom(socket: RoomSocket, roomId: string): Promise<void> {
  const command = { caller: null, action: "connection:drop", input: { connection_id: socket.id } };
  const tell = async () => unwrap((await engine().directory.callIfAlive(roomId, command)) ?? { ok: true, value: {} });
  const onFailure = (error: unknown) =>
    logger.warn({ err: error, roomId }, "the room was not told that a connection is gone");
  return untilDone(tell, { pausesMs, onFailure });
}
