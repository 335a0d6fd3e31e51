import type { Client } from "@colyseus/core";
import type { Server } from "socket.io";
import type { Connection } from "#shared/contracts/actors.ts";
import type { ServerPush } from "#shared/contracts/events.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { FrameGathering } from "./frame-gathering.ts";

export const roomChannel = (roomId: string) => `room:${roomId}`;
export const userChannel = (userId: string) => `user:${userId}`;
export const sessionChannel = (sessionId: string) => `session:${sessionId}`;

export interface PushOptions {
  /** Dropped for a connection that has not read what was sent before. */
  readonly volatile?: boolean;
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

const isBehind = ({ ref }: Client): boolean => (ref as unknown as { bufferedAmount: number }).bufferedAmount > 0;

/**
 * Pushes out. The actor that owns a room is the only one that emits for it, once, in its own process; the adapter takes
 * it to the sockets of other processes. Native clients of a room are always in the actor's process and get theirs
 * there.
 */
export class Fanout {
  readonly #io: Server;
  /** Native clients of this process, by user. */
  readonly #natives = new Map<string, Set<Client>>();

  readonly #clustered: boolean;
  readonly #gathering: FrameGathering;
  #onAdmission: ((admission: SessionAdmission) => void) | undefined;
  #onActorBegan: ((began: ActorBegan) => void) | undefined;
  #onPresence: ((userIds: readonly string[]) => void) | undefined;

  /** `clustered`: whether other processes have connections. */
  constructor(io: Server, clustered: boolean) {
    this.#io = io;
    this.#clustered = clustered;
    this.#gathering = new FrameGathering(io);
    io.on("to-natives", (userIds: string[], push: ServerPush, options: PushOptions) =>
      this.#toNatives(userIds, push, options),
    );
  }

  toRoom(roomId: string, { event, payload }: ServerPush, options: PushOptions = {}): void {
    metrics.pushes.inc({ event });
    const target = this.#io.to(roomChannel(roomId));
    (options.volatile ? target.volatile : target).emit(event, payload);
  }

  /** To every connection of these users, over all transports and processes. */
  toUsers(userIds: readonly string[], push: ServerPush, options: PushOptions = {}): void {
    if (userIds.length === 0) return;
    const { event, payload } = push;
    metrics.pushes.inc({ event });
    const target = this.#io.to(userIds.map(userChannel));
    (options.volatile ? target.volatile : target).emit(event, payload);
    this.#toNatives(userIds, push, options);
    if (this.#clustered) this.#io.serverSideEmit("to-natives", userIds, { event, payload }, options);
  }

  #toNatives(userIds: readonly string[], { event, payload }: ServerPush, { volatile }: PushOptions): void {
    for (const userId of userIds)
      for (const client of this.#natives.get(userId) ?? [])
        if (!volatile || !isBehind(client)) client.send(event, payload);
  }

  /** Returns whether a push to a user might reach a connection. */
  mayReach(userId: string): boolean {
    const { rooms } = this.#io.sockets.adapter;
    return this.#clustered || rooms.has(userChannel(userId)) || this.#natives.has(userId);
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
  admit(connection: Connection, roomId: string): void {
    if (connection.transport === "socket") this.#io.in(connection.id).socketsJoin(roomChannel(roomId));
  }

  /**
   * Has the gateways of all processes admit the open sockets of a session to a room that its user has joined without
   * them.
   */
  admitSession(admission: SessionAdmission): void {
    this.#onAdmission?.(admission);
    if (this.#clustered) this.#io.serverSideEmit("admit-session", admission);
  }

  /** Sets what this process does with its own sockets of a session. */
  onAdmission(admit: (admission: SessionAdmission) => void): void {
    this.#onAdmission = admit;
    this.#io.on("admit-session", admit);
  }

  /** Tells every process that a room has a new actor, which doesn't know the connections of its predecessor. */
  actorBegan(began: ActorBegan): void {
    this.#onActorBegan?.(began);
    if (this.#clustered) this.#io.serverSideEmit("actor-began", began);
  }

  /** Sets what this process does when a room has a new actor. */
  onActorBegan(react: (began: ActorBegan) => void): void {
    this.#onActorBegan = react;
    this.#io.on("actor-began", react);
  }

  /** Tells every process that these users came online or went offline, which is already stored. */
  cameOrWent(userIds: readonly string[]): void {
    this.#onPresence?.(userIds);
    if (this.#clustered) this.#io.serverSideEmit("came-or-went", userIds);
  }

  /** Sets what this process does when users come online or go offline. */
  onPresence(react: (userIds: readonly string[]) => void): void {
    this.#onPresence = react;
    this.#io.on("came-or-went", react);
  }

  /** The room is over. */
  dissolve(roomId: string): void {
    this.#io.in(roomChannel(roomId)).socketsLeave(roomChannel(roomId));
  }

  expel(userId: string, roomId: string): void {
    this.#io.in(userChannel(userId)).socketsLeave(roomChannel(roomId));
  }
}
