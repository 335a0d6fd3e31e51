import type { Server as HttpServer } from "node:http";
import { Server as ColyseusServer, LocalDriver, LocalPresence, matchMaker } from "@colyseus/core";
import { RedisDriver } from "@colyseus/redis-driver";
import { RedisPresence } from "@colyseus/redis-presence";
import { createAdapter } from "@socket.io/redis-streams-adapter";
import type { RequestHandler } from "express";
import { Redis } from "ioredis";
import { Server as SocketServer } from "socket.io";
import type { Actors, RoomAction } from "#shared/contracts/actors.ts";
import { startRelay } from "#shared/db/outbox.ts";
import { dropProcess } from "#shared/domain/presence/presence.ts";
import { roomsToRestore } from "#shared/domain/rooms/room-state.ts";
import { onRevoked } from "#shared/domain/sessions/revocations.ts";
import type { Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { Fanout, sessionChannel, userChannel } from "./bridge/fanout.ts";
import { openGateway } from "./bridge/gateway.ts";
import { toActors } from "./bridge/inbox.ts";
import { PresenceTracker } from "./bridge/presence.ts";
import { cutSlowReaders } from "./bridge/slow-readers.ts";
import { Directory } from "./core/directory.ts";
import { LiveCountsBoard } from "./core/live-counts.ts";
import { redisNodes, singleNode } from "./core/nodes.ts";
import { SharedPortTransport } from "./core/transport.ts";
import { setEngine } from "./engine.ts";
import { VoiceRoom, voiceRoomKind } from "./rooms/voice/voice.room.ts";

export interface EngineOptions {
  readonly http: HttpServer;
  readonly host: string;
  /** Absent: this process is the whole service. */
  readonly redisUrl?: string;
  readonly corsOrigins: readonly string[];
  readonly rateLimits: boolean;
}

export interface Engine {
  /** The port for REST and jobs. */
  readonly actors: Actors;
  /** Colyseus' matchmaking, for Express, before any body parser. */
  readonly matchmake: RequestHandler;
  /** Says which port the process listens on; rooms that a crash left are made anew. */
  listening(port: number): Promise<void>;
  /** Ends connections and actors, in order. Does not close the http server. */
  stop(): Promise<void>;
}

/** Largest event that a Socket.IO client may send, bytes. */
const maxEventBytes = 64 * 1024;

/** Starts the realtime half of a process on a server that does not listen yet. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const redis = options.redisUrl ? connectRedis(options.redisUrl) : undefined;
  const transport = new SharedPortTransport(options.http);
  const colyseus = await startColyseus(transport, redis);
  const nodes = redis ? redisNodes(redis, options.host) : singleNode;
  const io = openSockets(options, redis);
  const fanout = new Fanout(io, redis !== undefined);
  const directory = new Directory(nodes, redis);
  const presence = new PresenceTracker(fanout);
  const counts = new LiveCountsBoard(nodes);
  setEngine({ directory, fanout, counts, presence, rateLimits: options.rateLimits });
  openGateway(io);
  transport.routeOtherUpgrades(nodes);
  closeRevoked(io, fanout);
  const stopCutting = cutSlowReaders(io, fanout);
  const stopRelay = startRelay((fact) => toActors(directory, fact));

  return {
    actors: portTo(directory, counts),
    matchmake: transport.matchmake,
    listening: async (port) => {
      await nodes.register(port);
      await restoreRooms(directory);
    },
    stop: async () => {
      await nodes.unregister();
      stopCutting();
      await stopRelay();
      // Only our own: without `local` the adapter would disconnect the sockets of every process.
      io.local.disconnectSockets(true);
      await presence.stop();
      await dropProcess(matchMaker.processId);
      await colyseus.gracefullyShutdown(false);
      await io.of("/").adapter.close();
      redis?.disconnect();
    },
  };
}

function connectRedis(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 2, enableReadyCheck: false });
  redis.on("error", (error) => logger.warn({ err: error.message }, "redis connection"));
  return redis;
}

async function startColyseus(transport: SharedPortTransport, redis?: Redis): Promise<ColyseusServer> {
  // Rooms are made by the directory only; who joins one has to be somebody (`static onAuth`).
  matchMaker.controller.exposedMethods = ["join", "joinById", "reconnect"];
  // The CORS policy is Express'.
  matchMaker.controller.getCorsHeaders = () => ({});
  const colyseus = new ColyseusServer({
    transport,
    presence: redis ? new RedisPresence(redis) : new LocalPresence(),
    driver: redis ? new RedisDriver(redis.duplicate()) : new LocalDriver(),
    greet: false,
    gracefullyShutdown: false,
    logger: colyseusLogger,
    // The process that first needs an actor owns it.
    selectProcessIdToCreateRoom: async () => matchMaker.processId,
    rooms: {},
  } as ConstructorParameters<typeof ColyseusServer>[0]);
  colyseus.define(voiceRoomKind, VoiceRoom).filterBy(["room_id"]);
  await colyseus.listen(0);
  return colyseus;
}

const say =
  (level: "debug" | "info" | "warn" | "error") =>
  (first?: unknown, ...rest: unknown[]) =>
    logger[level]({ from: "colyseus" }, [first, ...rest].map(String).join(" ").slice(0, 1000));

const colyseusLogger = {
  debug: say("debug"),
  info: say("debug"),
  log: say("debug"),
  warn: say("warn"),
  error: say("warn"),
};

function openSockets({ http, corsOrigins }: EngineOptions, redis?: Redis): SocketServer {
  return new SocketServer(http, {
    path: "/socket.io",
    serveClient: false,
    destroyUpgrade: false,
    maxHttpBufferSize: maxEventBytes,
    connectTimeout: 10_000,
    cors: { origin: corsOrigins.includes("*") ? "*" : [...corsOrigins] },
    ...(redis && { adapter: createAdapter(redis.duplicate(), { streamName: "hubbub:socket.io" }) }),
  });
}

/** Whoever may no longer call has no connection either: each process closes its own. */
function closeRevoked(io: SocketServer, fanout: Fanout): void {
  onRevoked(({ sessionIds = [], userId, code }) => {
    const channels = [...sessionIds.map(sessionChannel), ...(userId ? [userChannel(userId)] : [])];
    if (channels.length > 0) io.local.in(channels).disconnectSockets(true);
    for (const client of fanout.allNatives()) {
      const caller = client.auth as { sessionId: string; userId: string };
      if (sessionIds.includes(caller.sessionId) || caller.userId === userId) client.leave(4401, code);
    }
  });
}

function portTo(directory: Directory, counts: LiveCountsBoard): Actors {
  return {
    voice: (async (roomId: string, caller, action: RoomAction, input, connection) =>
      (await directory.call(voiceRoomKind, roomId, {
        caller,
        action,
        input,
        ...(connection && { connection }),
      })) as Result<never>) as Actors["voice"],
    liveCounts: () => counts.all(),
  };
}

/** Rooms that people were in when an actor ended without a word: their seats are kept for the grace, then freed. */
async function restoreRooms(directory: Directory): Promise<void> {
  for (const roomId of await roomsToRestore()) {
    try {
      await directory.ensure(voiceRoomKind, roomId);
    } catch (error) {
      logger.warn({ err: error, roomId }, "room was not restored");
    }
  }
}
