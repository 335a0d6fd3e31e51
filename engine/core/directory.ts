import { setTimeout as pause } from "node:timers/promises";
import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import type { ActionOf, ActorKind, InputOf, ReplyOf } from "#shared/contracts/actors.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { traceparent } from "#shared/kernel/tracing.ts";
import { within } from "#shared/kernel/within.ts";
import { isAlive } from "./alive.ts";
import type { AnyActorRoom } from "./any-actor-room.ts";
import { assertKind, type Command } from "./command.ts";
import { leave } from "./leave.ts";
import { takeLock } from "./lock.ts";
import type { RemoteActors } from "./remote-actors.ts";
import { domainErrorIn } from "./server-error.ts";

/** How often one looks whether an actor is still being made, milliseconds. */
const lookAgainMs = 25;
/** Longer than a command may wait for its turn (`patienceMs`) and a transaction may take. */
const callTimeoutMs = 10_000;
/**
 * After Redis was unavailable, no process counts as dead for this long: each must reconnect and list its actors again.
 */
const comingBackMs = 3_000;

/** How long making an actor may take. Colyseus limits neither its start nor the end of its predecessor. */
const makingMs = 10_000;

const lookedForMs = 1000;

const lockKeyOf = (id: string) => `hubbub:making:${id}`;

const unavailable = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room can't be reached right now.", { retryAfter: 1 });

/** A command of our own code, whose input fits the action. */
export interface CommandOf<K extends ActorKind, A extends ActionOf<K>> extends Command {
  readonly action: A;
  readonly input: InputOf<K, A>;
}

/** Replies for an actor that can no longer exist, such as that of a game that is over; undefined: the error stands. */
export type ReplyAfterEnd = (error: DomainError, id: string, command: Command) => Promise<unknown>;

/**
 * Finds the actor of an ID in any process, or creates it; nothing else creates actors. Concurrent calls get the same
 * actor. An actor whose process has died is created again.
 */
export class Directory {
  readonly #redis: Redis | undefined;
  readonly #elsewhere: RemoteActors | undefined;
  readonly #kinds: Readonly<Record<ActorKind, { readonly replyAfterEnd?: ReplyAfterEnd }>>;
  readonly #making = new Map<string, Promise<string>>();
  #settledMs = 0;
  /** All rooms ask about the same few processes. */
  readonly #looked = new Map<string, { readonly atMs: number; readonly alive: Promise<boolean> }>();

  /** `elsewhere`: if there are other processes, their actors. */
  constructor(
    kinds: Readonly<Record<ActorKind, { readonly replyAfterEnd?: ReplyAfterEnd }>>,
    redis?: Redis,
    elsewhere?: RemoteActors,
  ) {
    this.#kinds = kinds;
    this.#redis = redis;
    this.#elsewhere = elsewhere;
    redis?.on("close", () => {
      this.#settledMs = Number.POSITIVE_INFINITY;
    });
    redis?.on("ready", () => {
      if (this.#settledMs === Number.POSITIVE_INFINITY) this.#settledMs = performance.now() + comingBackMs;
    });
  }

  /** Whether other processes have actors, too. */
  get isShared(): boolean {
    return this.#redis !== undefined;
  }

  /** Calls the actor; never rejects. */
  call<K extends ActorKind, A extends ActionOf<K>>(
    kind: K,
    id: string,
    command: CommandOf<K, A>,
  ): Promise<Result<ReplyOf<K, A>>> {
    // The actor's table of actions is held to the types of the same contract; between processes values lose their type.
    return this.pass(kind, id, command) as Promise<Result<ReplyOf<K, A>>>;
  }

  /** Calls the actor with a client's input, already validated by the action's schema; never rejects. */
  async pass(kind: ActorKind, id: string, command: Command): Promise<Result<unknown>> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        const early = attempt === 0 ? await this.#sendElsewhere(kind, id, command) : undefined;
        if (early) return early;
        await this.ensure(kind, id);
        const result = await this.#send(kind, id, command);
        // An actor that ended before it received the command has done nothing, so its successor gets the command.
        if (result !== undefined) return result;
        if (attempt === 2) throw unavailable();
      }
    } catch (error) {
      return this.#fail(kind, id, command, error);
    }
  }

  async #fail(kind: ActorKind, id: string, command: Command, error: unknown): Promise<Result<unknown>> {
    try {
      if (!(error instanceof DomainError)) throw error;
      const value = await this.#kinds[kind].replyAfterEnd?.(error, id, command);
      if (value === undefined) throw error;
      return { ok: true, value };
    } catch (failure) {
      const expected = failure instanceof DomainError ? failure : unavailable();
      if (expected.code === "ENGINE_UNAVAILABLE") metrics.actorsUnavailable.inc({ kind });
      if (expected !== failure) logger.warn({ err: failure, kind, id }, "actor could not be asked");
      return { ok: false, ...expected.toFailure() };
    }
  }

  /**
   * Calls the actor only if it exists; undefined otherwise. An actor that is being created counts: it may have loaded
   * its state before the change that the command announces.
   */
  async callIfAlive<K extends ActorKind, A extends ActionOf<K>>(
    kind: K,
    id: string,
    command: CommandOf<K, A>,
  ): Promise<Result<ReplyOf<K, A>> | undefined> {
    const early = await this.#sendElsewhere(kind, id, command);
    if (early) return early as Result<ReplyOf<K, A>>;
    await this.#making.get(id)?.catch(() => undefined); // The caller that creates it gets the error.
    while (await this.#isBeingMade(id)) await pause(lookAgainMs);
    if ((await this.#locate(id)) !== kind) return undefined;
    return this.#send(kind, id, command) as Promise<Result<ReplyOf<K, A>> | undefined>;
  }

  /**
   * Ensures that the actor exists.
   * @throws NOT_FOUND when the ID belongs to another kind, and the errors of creating the actor
   */
  async ensure(kind: ActorKind, id: string): Promise<void> {
    const local = this.#local(id);
    if (local) return assertKind(kind, local.roomName);
    let making = this.#making.get(id);
    if (!making) {
      const progress = { step: "looking for it" };
      const late = () => `${kind} ${id} was not made in time: ${progress.step}`;
      const made = within(makingMs, this.#make(kind, id, progress), late);
      making = made.finally(() => this.#making.delete(id));
      this.#making.set(id, making);
    }
    assertKind(kind, await making);
  }

  /**
   * Moves an actor of this process to another one, which `chooseHost` of Colyseus chooses. Calls to it wait meanwhile.
   */
  async moveAway(kind: ActorKind, id: string): Promise<void> {
    const release = await this.#lock(id);
    try {
      const actor = this.#local(id);
      if (actor) await leave(actor);
    } finally {
      await release();
    }
    await this.ensure(kind, id);
  }

  #local(id: string): AnyActorRoom | undefined {
    const room = matchMaker.getLocalRoomById(id) as AnyActorRoom | undefined;
    return room?.isEnding ? undefined : room;
  }

  async #send(kind: ActorKind, id: string, command: Command): Promise<Result<unknown> | undefined> {
    const local = this.#local(id);
    if (!local) return this.#sendElsewhere(kind, id, command);
    const result = await local.perform(command);
    return result.undone ? undefined : result;
  }

  /**
   * Sends the command to the actor without looking for it first: mostly, there is one in another process. Undefined:
   * there is none.
   */
  async #sendElsewhere(kind: ActorKind, id: string, command: Command): Promise<Result<unknown> | undefined> {
    if (!this.#elsewhere || this.#local(id)) return undefined;
    try {
      return await this.#elsewhere.perform(id, { ...command, kind, ...traceparent() }, callTimeoutMs);
    } catch (error) {
      logger.warn({ err: error, id, action: command.action }, "an actor in another process did not answer");
      throw unavailable();
    }
  }

  /**
   * Returns the kind of an actor in any process; undefined if there is none, or if its process is dead. Then removes
   * its rows.
   */
  async #locate(id: string): Promise<string | undefined> {
    const local = this.#local(id);
    if (local) return local.roomName;
    if (!this.#redis) return undefined;
    const row = await matchMaker.driver.findOne({ roomId: id });
    if (row?.processId === matchMaker.processId) return undefined;
    if (row && (await isAlive(row.processId))) return row.name;
    if (await this.#untilSettled()) return this.#locate(id);
    if (row) {
      await matchMaker.stats.excludeProcess(row.processId);
      await matchMaker.driver.cleanup?.(row.processId);
    }
    return undefined;
  }

  /**
   * Returns whether a process has died, as known for at most a second; false while Redis is unavailable, and shortly
   * after.
   */
  async hasDied(processId: string): Promise<boolean> {
    if (this.#settledMs > performance.now()) return false;
    let looked = this.#looked.get(processId);
    if (!looked || performance.now() - looked.atMs > lookedForMs) {
      looked = { atMs: performance.now(), alive: isAlive(processId) };
      this.#looked.set(processId, looked);
    }
    return !(await looked.alive);
  }

  /**
   * Waits until an actor that isn't found is certainly missing. Returns whether it had to wait.
   * @throws ENGINE_UNAVAILABLE while Redis is unavailable: Colyseus' own connections may be restored before this one
   */
  async #untilSettled(): Promise<boolean> {
    const waitMs = this.#settledMs - performance.now();
    if (waitMs === Number.POSITIVE_INFINITY) throw unavailable();
    if (waitMs > 0) await pause(waitMs);
    return waitMs > 0;
  }

  /** Returns the kind of the existing or created actor. `progress` names the step that it waits for. */
  async #make(kind: ActorKind, id: string, progress: { step: string }): Promise<string> {
    const there = await this.#locate(id);
    // Colyseus lists an actor before the actor hears calls from other processes: who made it holds the lock until then.
    if (there && !(await this.#isBeingMade(id))) return there;
    progress.step = "waiting for the end of its predecessor";
    // Wait for a retiring actor to end: its end would remove its successor from Colyseus' tables.
    await (matchMaker.getLocalRoomById(id) as AnyActorRoom | undefined)?.ended;
    progress.step = `taking its lock, held by ${(await this.#redis?.get(lockKeyOf(id))) ?? "no one"}`;
    const release = await this.#lock(id);
    progress.step = "creating it";
    try {
      return (await this.#locate(id)) ?? (await matchMaker.createRoom(kind, { room_id: id })).name;
    } catch (error) {
      throw error instanceof DomainError ? error : (domainErrorIn(error) ?? error);
    } finally {
      await release();
    }
  }

  async #isBeingMade(id: string): Promise<boolean> {
    return (await this.#redis?.exists(lockKeyOf(id))) === 1;
  }

  async #lock(id: string): Promise<() => Promise<void>> {
    return this.#redis ? takeLock(this.#redis, lockKeyOf(id), matchMaker.processId) : async () => undefined;
  }
}
