import { matchMaker } from "@colyseus/core";
import { onActorPool } from "#shared/db/sequelize.ts";
import {
  countLiveRooms,
  dropLiveRooms,
  liveRoomsOf,
  processesWithLiveRooms,
  type RoomReport,
  storeLiveRooms,
} from "#shared/domain/live/rooms/live-rooms.ts";
import { logger } from "#shared/kernel/logger.ts";
import { isAlive } from "./alive.ts";

/** Pause between two writes, unless someone reads in between. */
const pauseMs = 250;
const checkEveryMs = 2500;
const batchMax = 1000;

/** Restores rooms that have lost their actors. Returns those for which nothing is left to do. */
type Restore = (roomIds: readonly string[]) => Promise<readonly string[]>;

/** Stores how many people are in the rooms of this process, all of them in one statement. */
export class LiveRooms {
  /** The rooms with people in them. */
  readonly #live = new Map<string, RoomReport>();
  #people = 0;
  readonly #unstored = new Map<string, RoomReport>();
  #writing: Promise<void> | undefined;
  #pause: NodeJS.Timeout | undefined;
  /** It stores nothing more: the database may be closed already. */
  #stopped = false;
  #check: NodeJS.Timeout | undefined;
  #checking: Promise<void> | undefined;
  #restore: Restore = async () => [];
  /** Processes that were missing at the last check. */
  #missed = new Set<string>();
  /** Processes that have died, and whose rooms are being restored. */
  readonly #restoring = new Set<string>();

  /** How many people are in the rooms of this process. */
  get people(): number {
    return this.#people;
  }

  /** How many people are in a room of this process. */
  peopleIn(roomId: string): number {
    return this.#live.get(roomId)?.member_count ?? 0;
  }

  /** Restores what dead processes have left, now and later. */
  async start(restore: Restore): Promise<void> {
    this.#restore = restore;
    this.#stopped = false;
    await this.#findDead(() => true);
    this.#check = setInterval(() => {
      this.#checking = this.#reconcile().catch((error: unknown) =>
        logger.warn({ err: error }, "live rooms were not checked"),
      );
    }, checkEveryMs);
  }

  /** Waits until it is stored that this process has none. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#check);
    this.#check = undefined;
    await this.#checking;
    clearTimeout(this.#pause);
    this.#pause = undefined;
    this.#live.clear();
    this.#people = 0;
    this.#unstored.clear();
    await this.#writing;
    // Without a database, the others find what a dead process left.
    await dropLiveRooms([matchMaker.processId]).catch((error: unknown) =>
      logger.warn({ err: error }, "rooms of a process that ends were not removed"),
    );
  }

  /** An actor says how many people are in its room. If Redis is slow, one may end after its successor has begun. */
  say(room: RoomReport): void {
    const latest = this.#unstored.get(room.roomId) ?? this.#live.get(room.roomId);
    if (this.#stopped || (latest && latest.epoch > room.epoch)) return;
    this.#people += room.member_count - (this.#live.get(room.roomId)?.member_count ?? 0);
    if (room.member_count > 0) this.#live.set(room.roomId, room);
    else this.#live.delete(room.roomId);
    this.#unstored.set(room.roomId, room);
    if (!this.#pause && !this.#writing) void this.settle();
  }

  /** Resolves when everything that was said before is stored, or could not be. */
  async settle(): Promise<void> {
    await this.#writing;
    if (this.#unstored.size > 0) this.#writing ??= this.#write();
    await this.#writing;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#pause);
    const rooms = [...this.#unstored.values()].slice(0, batchMax);
    for (const { roomId } of rooms) this.#unstored.delete(roomId);
    try {
      await onActorPool(() => storeLiveRooms(matchMaker.processId, rooms));
    } catch (error) {
      logger.warn({ err: error }, "live rooms were not stored; this is repeated");
      if (!this.#stopped)
        for (const room of rooms) if (!this.#unstored.has(room.roomId)) this.#unstored.set(room.roomId, room);
    }
    this.#writing = undefined;
    if (this.#stopped) return;
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#unstored.size > 0) void this.settle();
    }, pauseMs);
  }

  /** Stores all again if some are missing: another process may have taken this one for dead. */
  async #reconcile(): Promise<void> {
    await this.#findDead((processId) => this.#missed.has(processId));
    if (this.#unstored.size > 0 || (await countLiveRooms(matchMaker.processId)) === this.#live.size) return;
    for (const [roomId, room] of this.#live) this.#unstored.set(roomId, room);
    await this.settle();
  }

  /** `isSure`: whether a process that is missing now has died. */
  async #findDead(isSure: (processId: string) => boolean): Promise<void> {
    const missing: string[] = [];
    for (const processId of await processesWithLiveRooms()) if (!(await isAlive(processId))) missing.push(processId);
    const dead = missing.filter((processId) => isSure(processId) && !this.#restoring.has(processId));
    this.#missed = new Set(missing);
    if (dead.length > 0)
      this.#restoreFrom(dead).catch((error: unknown) =>
        logger.warn({ err: error }, "rooms of a dead process were not restored; this is repeated"),
      );
  }

  /** Their rows stay until the rooms are restored: this process may end before. */
  async #restoreFrom(dead: readonly string[]): Promise<void> {
    for (const processId of dead) this.#restoring.add(processId);
    try {
      const restored = await this.#restore(await liveRoomsOf(dead));
      // A process that ends leaves the rest to others.
      if (this.#check) await dropLiveRooms(dead, restored);
    } finally {
      for (const processId of dead) this.#restoring.delete(processId);
    }
  }
}

export const liveRooms = new LiveRooms();
