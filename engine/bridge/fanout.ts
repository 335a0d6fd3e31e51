import type { Client } from "@colyseus/core";
import { matchMaker } from "@colyseus/core";
import type { Server } from "socket.io";
import type { Connection } from "#shared/contracts/actors.ts";
import type { ServerPush } from "#shared/contracts/events.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { FrameGathering, isPatient } from "./frame-gathering.ts";
import { MissedFrames } from "./missed-frames.ts";
import type { Pushing } from "./previous-stream.ts";

export const roomChannel = (roomId: string) => `room:${roomId}`;
export const userChannel = (userId: string) => `user:${userId}`;
export const sessionChannel = (sessionId: string) => `session:${sessionId}`;
/** The channel of a user's coming and going. */
export const presenceChannel = (userId: string) => `presence:${userId}`;
const idIn = (channel: string) => channel.slice(channel.indexOf(":") + 1);

export interface PushOptions {
  /**
   * Dropped for a connection that has not read what was sent before. If it has a number, and none follows it soon, a
   * socket gets it after all.
   */
  readonly volatile?: boolean;
  /** The room has so many members that events which come often may wait for each other on their way to processes. */
  readonly isCrowd?: boolean;
}

/** A session whose user has joined a room; `joinId` names the membership. */
export interface SessionAdmission {
  readonly userId: string;
  readonly sessionId: string;
  readonly roomId: string;
  readonly joinId: string;
}

/** A room has a new actor. `epoch` is the actor's; `userIds`, if present, are those whom it misses. */
export interface ActorBegan {
  readonly roomId: string;
  readonly epoch: number;
  readonly userIds?: readonly string[];
}

/** What processes tell each other, by channel. */
export interface Messages {
  push: { readonly push: ServerPush; readonly options: PushOptions };
  /** A socket of the process is admitted to a room. */
  admit: { readonly id: string };
  leave: { readonly roomId: string };
  "admit-session": SessionAdmission;
  "actor-began": ActorBegan;
  "came-or-went": null;
}
type Hear = { readonly [K in keyof Messages]: (content: Messages[K], channels: readonly string[]) => void };

const isBehind = ({ ref }: Client): boolean => (ref as unknown as { bufferedAmount: number }).bufferedAmount > 0;

/** The most channels that a message goes to at once. */
const channelsMax = 500;

/**
 * Pushes out. The actor that owns a room is the only one that emits for it, once, in its own process; the bus takes it
 * to the processes whose sockets are in the room. Native clients of a room are always in the actor's process and get
 * theirs there.
 */
export class Fanout {
  readonly #io: Server;
  /** Native clients of this process, by user. */
  readonly #natives = new Map<string, Set<Client>>();

  readonly #bus: Pushing | undefined;
  readonly #gathering: FrameGathering;
  readonly #missed: MissedFrames;
  #onAdmission: ((admission: SessionAdmission) => void) | undefined;
  #onActorBegan: ((began: ActorBegan) => void) | undefined;
  #onPresence: ((userIds: readonly string[]) => void) | undefined;

  /** `bus`: to other processes, if there may be any. */
  constructor(io: Server, bus?: Pushing) {
    this.#io = io;
    this.#bus = bus;
    this.#gathering = new FrameGathering(io);
    this.#missed = new MissedFrames(io);
    if (bus) followRooms(io, bus);
  }

  toRoom(roomId: string, push: ServerPush, { isCrowd, ...options }: PushOptions = {}): void {
    metrics.pushes.inc({ event: push.event });
    const channels = [roomChannel(roomId)];
    this.#pushHere(channels, push, options);
    this.#tell(channels, "push", { push, options }, isCrowd && isPatient(push.event));
  }

  /** To every connection of these users, over all transports and processes. */
  toUsers(userIds: readonly string[], push: ServerPush, options: PushOptions = {}): void {
    if (userIds.length === 0) return;
    metrics.pushes.inc({ event: push.event });
    const channels = userIds.map(userChannel);
    this.#pushHere(channels, push, options);
    this.#tell(channels, "push", { push, options });
  }

  /** To the sockets in these channels, and to the native clients of the users that they name. */
  #pushHere(channels: readonly string[], push: ServerPush, { volatile = false }: PushOptions): void {
    const { event, payload } = push;
    if ("seq" in payload) for (const channel of channels) this.#missed.note(channel, push, volatile);
    const target = this.#io.to([...channels]);
    (volatile ? target.volatile : target).emit(event, payload);
    if (this.#natives.size === 0) return;
    for (const channel of channels)
      for (const client of (channel.startsWith("user:") && this.#natives.get(idIn(channel))) || [])
        if (!volatile || !isBehind(client)) client.send(event, payload);
  }

  /** Tells the other processes that want one of these channels. */
  #tell<K extends keyof Messages>(channels: readonly string[], kind: K, content: Messages[K], mayRest = false): void {
    if (!this.#bus) return;
    const message = JSON.stringify([kind, content]);
    for (let at = 0; at < channels.length; at += channelsMax)
      this.#bus.send(channels.slice(at, at + channelsMax), message, mayRest);
  }

  /** Does what another process tells this one. `channels` are those that it wants. */
  hear(message: string, channels: readonly string[]): void {
    const [kind, content] = JSON.parse(message) as [keyof Messages, never];
    this.#hear[kind]?.(content, channels);
  }

  /** What `work` hears from other processes is delivered together. */
  together(work: () => void): void {
    this.#gathering.together(work);
  }

  readonly #hear: Hear = {
    push: ({ push, options }, channels) => this.#pushHere(channels, push, options),
    admit: ({ id }, [channel]) => this.#io.in(id).socketsJoin(channel!),
    leave: ({ roomId }, channels) => this.#leaveHere(channels, roomId),
    "admit-session": (admission) => this.#onAdmission?.(admission),
    "actor-began": (began) => this.#onActorBegan?.(began),
    "came-or-went": (_none, channels) => this.#onPresence?.(channels.map(idIn)),
  };

  /** Returns whether a push to a user might reach a connection. */
  mayReach(userId: string): boolean {
    const { rooms } = this.#io.sockets.adapter;
    return this.#bus !== undefined || rooms.has(userChannel(userId)) || this.#natives.has(userId);
  }

  /**
   * Sends a socket of this process what was pushed to it before and waits for more, so that an answer doesn't overtake
   * it.
   */
  catchUp(socketId: string): void {
    this.#gathering.catchUp(socketId);
  }

  addNative(userId: string, client: Client): void {
    const clients = this.#natives.get(userId) ?? new Set();
    this.#natives.set(userId, clients.add(client));
  }

  /** Returns whether the connection was there. */
  removeNative(userId: string, client: Client): boolean {
    const clients = this.#natives.get(userId);
    if (!clients?.delete(client)) return false;
    if (clients.size === 0) this.#natives.delete(userId);
    return true;
  }

  nativesOf(userId: string): readonly Client[] {
    return [...(this.#natives.get(userId) ?? [])];
  }

  allNatives(): readonly Client[] {
    return [...this.#natives.values()].flatMap((clients) => [...clients]);
  }

  /** Pushes to the room reach this connection from here on, in order with what is pushed next. */
  admit({ transport, id, processId }: Connection, roomId: string): void {
    if (transport !== "socket") return;
    const channel = roomChannel(roomId);
    if (processId === matchMaker.processId) this.#io.in(id).socketsJoin(channel);
    else this.#bus?.admit(processId, channel, JSON.stringify(["admit", { id } satisfies Messages["admit"]]));
  }

  /**
   * Has the gateways of all processes admit the open sockets of a session to a room that its user has joined without
   * them.
   */
  admitSession(admission: SessionAdmission): void {
    this.#onAdmission?.(admission);
    this.#tell([userChannel(admission.userId)], "admit-session", admission);
  }

  /** Sets what this process does with its own sockets of a session. */
  onAdmission(admit: (admission: SessionAdmission) => void): void {
    this.#onAdmission = admit;
  }

  /**
   * Tells every process with sockets in a room that it has a new actor, which doesn't know the connections of its
   * predecessor.
   */
  actorBegan(began: ActorBegan): void {
    this.#onActorBegan?.(began);
    this.#tell([roomChannel(began.roomId)], "actor-began", began);
  }

  /** Sets what this process does when a room has a new actor. */
  onActorBegan(react: (began: ActorBegan) => void): void {
    this.#onActorBegan = react;
  }

  /** Tells the processes that watch these users that they came online or went offline, which is already stored. */
  cameOrWent(userIds: readonly string[]): void {
    this.#onPresence?.(userIds);
    this.#tell(userIds.map(presenceChannel), "came-or-went", null);
  }

  /** Sets what this process does when users come online or go offline. */
  onPresence(react: (userIds: readonly string[]) => void): void {
    this.#onPresence = react;
  }

  /** Has this process hear when these users come or go, until the returned function is called. */
  watchPresence(userIds: readonly string[]): () => void {
    const channels = userIds.map(presenceChannel);
    for (const channel of channels) void this.#bus?.want(channel);
    return () => {
      for (const channel of channels) this.#bus?.unwant(channel);
    };
  }

  /** The room is over. */
  dissolve(roomId: string): void {
    this.#leave(roomChannel(roomId), roomId);
  }

  expel(userId: string, roomId: string): void {
    this.#leave(userChannel(userId), roomId);
  }

  /** The sockets in a channel no longer get what is pushed to a room. */
  #leave(channel: string, roomId: string): void {
    this.#leaveHere([channel], roomId);
    this.#tell([channel], "leave", { roomId });
  }

  #leaveHere(channels: readonly string[], roomId: string): void {
    this.#io.in([...channels]).socketsLeave(roomChannel(roomId));
  }
}

/** Wants the channels of rooms while sockets of this process are in them. Those of users are wanted by connections. */
function followRooms(io: Server, bus: Pushing): void {
  const { adapter } = io.of("/");
  const isRoom = (channel: string) => channel.startsWith(roomChannel(""));
  adapter.on("create-room", (channel: string) => isRoom(channel) && void bus.want(channel));
  adapter.on("delete-room", (channel: string) => isRoom(channel) && bus.unwant(channel));
}
