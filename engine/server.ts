import type { Server as HttpServer } from "node:http";
import { CloseCode, Server as ColyseusServer, LocalDriver, LocalPresence, matchMaker } from "@colyseus/core";
import type { RequestHandler } from "express";
import type { Redis } from "ioredis";
import { Server as SocketServer } from "socket.io";
import type { ActorKind, Actors, AskActor } from "#shared/contracts/actors.ts";
import { eventRate } from "#shared/contracts/client-events.ts";
import { closeCodes } from "#shared/contracts/close-codes.ts";
import type { EngineNode } from "#shared/contracts/views.ts";
import { onWake } from "#shared/db/outbox.ts";
import { startRelay } from "#shared/db/outbox-relay.ts";
import { allSlots, routeSlot } from "#shared/db/outbox-slots.ts";
import { addAudienceSource } from "#shared/domain/identity/presence/presence.audience.ts";
import { followersAndFriends } from "#shared/domain/identity/relations/presence-followers.ts";
import { onRevoked } from "#shared/domain/identity/sessions/revocations.ts";
import { stopRecording } from "#shared/domain/live/evidence/recorder.ts";
import { roomsOfSessions } from "#shared/domain/live/rooms/room-presence.ts";
import { logger } from "#shared/kernel/logger.ts";
import { leavesWithSession } from "./bridge/admission.ts";
import { Bus } from "./bridge/bus.ts";
import { ConnectionWatch } from "./bridge/connection-watch.ts";
import { EventCounter } from "./bridge/event-counter.ts";
import { Fanout, sessionChannel, userChannel } from "./bridge/fanout.ts";
import { endSockets, openGateway } from "./bridge/gateway.ts";
import { matchmake } from "./bridge/matchmaking.ts";
import { endNative, nativeCaller } from "./bridge/native-room.ts";
import { notifyRoom } from "./bridge/notify-room.ts";
import { PresenceTracker } from "./bridge/presence.ts";
import { PreviousStream } from "./bridge/previous-stream.ts";
import { eventConsumers } from "./bridge/reactions.ts";
import { takeMembersAlong } from "./bridge/rejoin.ts";
import { UserConnections } from "./bridge/user-connections.ts";
import { receiveVoice } from "./bridge/voice-streams.ts";
import { keepAgentOut } from "./core/colyseus-internals.ts";
import { colyseusLogger } from "./core/colyseus-logger.ts";
import { connectRedis } from "./core/connect-redis.ts";
import { Directory } from "./core/directory.ts";
import { liveRooms } from "./core/live-rooms.ts";
import { type Nodes, redisNodes, singleNode } from "./core/nodes.ts";
import { OwnRowsDriver } from "./core/own-rows-driver.ts";
import { peerAddress } from "./core/peer-address.ts";
import { RemoteActors } from "./core/remote-actors.ts";
import { SteadyPresence } from "./core/steady-presence.ts";
import { SharedPortTransport } from "./core/transport.ts";
import { setEngine } from "./engine.ts";
import { actorKinds } from "./kinds.ts";
import { moveAway } from "./move-away.ts";
import { startRebalancing } from "./rebalance.ts";
import { Restorer } from "./restore.ts";
import { playerWatch } from "./rooms/game/player-watch.ts";

export interface EngineOptions {
  readonly http: HttpServer;
  readonly host: string;
  /** Whether this process hosts actors and realtime connections. If not, it only calls the processes that do. */
  readonly hosts: boolean;
  /** If absent, this process is the whole service. */
  readonly redisUrl?: string;
  readonly corsOrigins: readonly string[];
  readonly rateLimits: boolean;
  /** Networks of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
}

export interface Engine {
  /** The port for REST and jobs. */
  readonly actors: Actors;
  /**
   * Matchmaking, as an Express handler that comes before any body parser. Does nothing in a process without
   * connections.
   */
  readonly matchmake: RequestHandler;
  /** Returns the live processes that host actors, and how many actors each has. */
  nodes(): Promise<EngineNode[]>;
  /** Registers the port that the process listens on, and restores the actors that a crash ended. */
  listening(port: number): Promise<void>;
  /** Moves connections and actors to other processes, evenly over this time. */
  moveAway(withinMs: number): Promise<void>;
  /** Ends connections, then actors. Doesn't close the HTTP server. Calls `step` with what it ends next. */
  stop(step: (name: string) => void): Promise<void>;
}

/** The maximum size of an event from a Socket.IO client, in bytes. */
const maxEventBytes = 64 * 1024;

/** The topic by which the relay is woken that owns a slot. Woken for nothing, each would ask the database. */
const wakeTopic = (slot: number) => `hubbub:outbox:${slot}`;

/** Starts the realtime half of a process on a server that does not listen yet. */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const redis = options.redisUrl ? connectRedis(options.redisUrl) : undefined;
  const transport = new SharedPortTransport(options.http);
  let opened: SocketServer | undefined;
  let stopRebalancing = () => {};
  const ownLoad = { people: () => liveRooms.people, sockets: () => opened?.of("/").sockets.size ?? 0 };
  const nodes = redis ? redisNodes(redis, options.host, ownLoad) : singleNode;
  const presence = redis && new SteadyPresence(redis);
  const colyseus = await startColyseus(transport, nodes, options.hosts, redis, presence);
  const elsewhere = presence && new RemoteActors(redis!, presence, matchMaker.processId);
  const directory = new Directory(actorKinds, redis, elsewhere);
  transport.routeOtherUpgrades(nodes, { sockets: options.hosts });
  receiveVoice(options.http);
  const { io, stop } = options.hosts ? await startHosting(options, directory, transport, redis) : wakeElsewhere();
  opened = io;
  const restorer = new Restorer(directory);

  return {
    actors: portTo(directory),
    matchmake: options.hosts ? matchmake : (_req, _res, next) => next(),
    nodes: async () => {
      const [hosts, stats] = await Promise.all([nodes.hosts(), matchMaker.stats.fetchAll()]);
      return hosts.map((id) => ({ id, actors: stats.find(({ processId }) => processId === id)?.roomCount ?? 0 }));
    },
    listening: async (port) => {
      if (!options.hosts) return;
      await nodes.register(port);
      await liveRooms.start((roomIds) => restorer.add("voice_room", roomIds));
      restorer.addStored();
      if (io && redis) stopRebalancing = startRebalancing({ io, directory, nodes });
    },
    moveAway: async (withinMs) => {
      stopRebalancing();
      if (io) await moveAway(withinMs, { io, directory, nodes });
    },
    stop: async (step) => {
      stopRebalancing();
      step("the recording of voice");
      await stopRecording();
      step("the listing of this process");
      await nodes.unregister();
      step("the restoring of actors");
      await restorer.stop();
      await stop(step);
      step("actors");
      await colyseus.gracefullyShutdown(false);
      await presence?.close();
      step("the listing of rooms");
      if (options.hosts) await liveRooms.stop();
      elsewhere?.stop();
      redis?.disconnect();
    },
  };
}

interface Hosting {
  /** Absent in a process without connections. */
  readonly io?: SocketServer;
  stop: Engine["stop"];
}

/** Opens the transports and starts the relay of the outbox. Returns a function that ends this, connections first. */
async function startHosting(
  options: EngineOptions,
  directory: Directory,
  transport: SharedPortTransport,
  redis?: Redis,
): Promise<Hosting> {
  const io = openSockets(options);
  const hear = (message: string, channels: readonly string[]) => fanout.hear(message, channels);
  const together = (work: () => void) => fanout.together(work);
  const missed = () => closeConnections(io, fanout);
  const bus = redis && new Bus(redis, matchMaker.processId, { hear, together, missed });
  // 0.2.0 can't use a cluster.
  const previous = redis && bus && !redis.options.keyPrefix ? new PreviousStream(redis, bus, hear) : undefined;
  const fanout = new Fanout(io, previous ?? bus);
  addAudienceSource(followersAndFriends);
  fanout.onPresence((userIds) => playerWatch.wake(userIds));
  const presence = new PresenceTracker(fanout);
  const events = new EventCounter(eventRate, redis);
  const connections = new UserConnections(redis, previous ?? bus);
  const addressOf = peerAddress(options.trustedProxies);
  setEngine({ directory, fanout, presence, events, connections, rateLimits: options.rateLimits, addressOf });
  openGateway(io);
  takeMembersAlong(io);
  closeRevoked(io, fanout);
  await bus?.start();
  await previous?.start();
  const watch = new ConnectionWatch({ http: options.http, io, transport, fanout, addressOf });
  const relay = startRelay(eventConsumers, {
    wakeOthers: wakeRelays,
    owns: (slots, isOwner) => {
      const change = isOwner ? "subscribe" : "unsubscribe";
      for (const slot of slots) void matchMaker.presence[change](wakeTopic(slot), wakers[slot]!);
    },
  });
  const wakers = allSlots.map((slot) => () => relay.wake(slot));
  const stop: Engine["stop"] = async (step) => {
    watch.stop();
    step("the relay of the outbox");
    await relay.stop();
    step("connections");
    io.disconnectSockets(true);
    await presence.stop();
    previous?.stop();
    await bus?.stop();
  };
  return { io, stop };
}

const waking = new Set<number>();

/** Wakes the relays that own these slots, once for all calls of a turn of the event loop. */
function wakeRelays(slots: readonly number[]): void {
  if (waking.size === 0)
    setImmediate(() => {
      for (const slot of waking) void matchMaker.presence.publish(wakeTopic(slot), 1);
      waking.clear();
    });
  for (const slot of slots) waking.add(slot);
}

/** Makes a process without a relay wake those of the others when it has committed domain events. */
function wakeElsewhere(): Hosting {
  onWake(() => wakeRelays([routeSlot]));
  return { stop: async () => onWake(() => {}) };
}

async function startColyseus(
  transport: SharedPortTransport,
  nodes: Nodes,
  hosts: boolean,
  redis?: Redis,
  presence?: SteadyPresence,
): Promise<ColyseusServer> {
  keepAgentOut();
  const colyseus = new ColyseusServer({
    transport,
    presence: presence ?? new LocalPresence(),
    driver: redis ? new OwnRowsDriver(redis.duplicate()) : new LocalDriver(),
    greet: false,
    gracefullyShutdown: false,
    logger: colyseusLogger,
    isStandaloneMatchMaker: !hosts,
    selectProcessIdToCreateRoom: () => nodes.choose(),
  } as ConstructorParameters<typeof ColyseusServer>[0]);
  if (hosts) for (const [kind, { room }] of Object.entries(actorKinds)) colyseus.define(kind, room);
  await colyseus.listen(0);
  return colyseus;
}

function openSockets({ http, corsOrigins }: EngineOptions): SocketServer {
  return new SocketServer(http, {
    path: "/socket.io",
    serveClient: false,
    destroyUpgrade: false,
    maxHttpBufferSize: maxEventBytes,
    connectTimeout: 10_000,
    cors: { origin: corsOrigins.includes("*") ? "*" : [...corsOrigins] },
  });
}

/** Closes the connections of this process. Their clients connect again, and ask for what they have missed. */
function closeConnections(io: SocketServer, fanout: Fanout): void {
  for (const socket of io.of("/").sockets.values()) socket.conn.close();
  for (const client of fanout.allNatives()) client.leave(CloseCode.MAY_TRY_RECONNECT);
}

/** Closes this process' connections of revoked sessions and users, and ends their memberships. */
function closeRevoked(io: SocketServer, fanout: Fanout): void {
  onRevoked(({ sessionIds = [], userId, those, code }) => {
    endSockets(io, [...sessionIds.map(sessionChannel), ...(userId ? [userChannel(userId)] : [])], those);
    for (const client of fanout.allNatives()) {
      const caller = nativeCaller(client);
      if (sessionIds.includes(caller.sessionId) || caller.userId === userId || those?.(caller))
        endNative(client, closeCodes.sessionEnded, code);
    }
    leaveRooms(sessionIds).catch((error: unknown) =>
      logger.warn({ err: error }, "users of ended sessions keep their places for the grace"),
    );
  });
}

/** Removes users whose session has ended from rooms to which they have no connection. */
async function leaveRooms(sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  const present = await roomsOfSessions(sessionIds);
  for (const { room_id, ...input } of present)
    if (matchMaker.getLocalRoomById(room_id) && leavesWithSession({ userId: input.user_id }))
      await notifyRoom(room_id, "session:ended", input);
}

function portTo(directory: Directory): Actors {
  const ask =
    <K extends ActorKind>(kind: K): AskActor<K> =>
    (id, principal, action, input) =>
      directory.call(kind, id, { principal, action, input });
  return {
    voice: ask("voice_room"),
    lobby: ask("game_lobby"),
    game: ask("game_session"),
    settleCounts: () => liveRooms.settle(),
  };
}
