import { setTimeout as pause } from "node:timers/promises";
import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import type { ActionOf, ActorKind, InputOf, ReplyOf } from "#shared/contracts/actors.ts";
import { DomainError, type Result } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import type { AnyActorRoom, Command } from "./actor-room.ts";
import { isAlive } from "./nodes.ts";
import { domainErrorIn } from "./server-error.ts";

const lockMs = 10_000;
const lockRetryMs = 25;
/** Longer than a command may wait for its turn (`patienceMs`) and a transaction may take. */
const callTimeoutMs = 10_000;
/** So long after Redis was away no process counts as dead: each has to find Redis first, and to list its actors again. */
const comingBackMs = 3_000;

const lockKeyOf = (id: string) => `hubbub:making:${id}`;

/** Releases a lock only if it is still ours. */
const releaseScript = `if redis.call("get", KEYS[1]) == ARGV[1] then return redis.call("del", KEYS[1]) else return 0 end`;

const unavailable = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room can't be reached right now.", { retryAfter: 1 });

/** A client may name the id of a room where a game's belongs: to them there is no such thing. */
function assertKind(kind: ActorKind, found: string): void {
  if (found !== kind) throw new DomainError("NOT_FOUND");
}

/** A command of our own code, whose input fits the action. */
export interface CommandOf<K extends ActorKind, A extends ActionOf<K>> extends Command {
  readonly action: A;
  readonly input: InputOf<K, A>;
}

/** Replies for an actor that can no longer exist, such as that of a game that is over; undefined: the error stands. */
export type ReplyAfterEnd = (error: DomainError, id: string, command: Command) => Promise<unknown>;

/**
 * Finds the actor of an id, wherever it lives, or makes it: the only place that creates actors. Two at once get the same
 * one; one whose process has died is made again.
 */
export class Directory {
  readonly #redis: Redis | undefined;
  readonly #kinds: Readonly<Record<ActorKind, { readonly replyAfterEnd?: ReplyAfterEnd }>>;
  readonly #making = new Map<string, Promise<string>>();
  #settledMs = 0;

  constructor(kinds: Readonly<Record<ActorKind, { readonly replyAfterEnd?: ReplyAfterEnd }>>, redis?: Redis) {
    this.#kinds = kinds;
    this.#redis = redis;
    redis?.on("close", () => {
      this.#settledMs = Number.POSITIVE_INFINITY;
    });
    redis?.on("ready", () => {
      if (this.#settledMs === Number.POSITIVE_INFINITY) this.#settledMs = performance.now() + comingBackMs;
    });
  }

  /** Asks the actor; never rejects. */
  call<K extends ActorKind, A extends ActionOf<K>>(
    kind: K,
    id: string,
    command: CommandOf<K, A>,
  ): Promise<Result<ReplyOf<K, A>>> {
    // The actor's table of actions is held to the types of the same contract; between processes values lose their type.
    return this.pass(kind, id, command) as Promise<Result<ReplyOf<K, A>>>;
  }

  /** Asks the actor what a client has sent, checked by the action's schema; never rejects. */
  async pass(kind: ActorKind, id: string, command: Command): Promise<Result<unknown>> {
    try {
      for (let attempt = 0; ; attempt += 1) {
        await this.ensure(kind, id);
        const result = await this.#send(id, command);
        // An actor that ended between being found and being asked has done nothing: its successor is asked.
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
      if (expected !== failure) logger.warn({ err: failure, kind, id }, "actor could not be asked");
      return { ok: false, ...expected.toFailure() };
    }
  }

  /**
   * Asks the actor only if there is one; undefined when there is none. One that is being made counts: it may have read
   * what was true before that of which it is to be notified.
   */
  async callIfAlive<K extends ActorKind, A extends ActionOf<K>>(
    kind: K,
    id: string,
    command: CommandOf<K, A>,
  ): Promise<Result<ReplyOf<K, A>> | undefined> {
    await this.#making.get(id)?.catch(() => undefined); // The caller that has it made learns why it is not.
    while (await this.#redis?.exists(lockKeyOf(id))) await pause(lockRetryMs);
    if ((await this.#locate(id)) !== kind) return undefined;
    return this.#send(id, command) as Promise<Result<ReplyOf<K, A>> | undefined>;
  }

  /** Makes sure that there is one actor. @throws what making it refuses with, NOT_FOUND when the id is another kind's */
  async ensure(kind: ActorKind, id: string): Promise<void> {
    const local = this.#local(id);
    if (local) return assertKind(kind, local.roomName);
    let making = this.#making.get(id);
    if (!making) {
      making = this.#make(kind, id).finally(() => this.#making.delete(id));
      this.#making.set(id, making);
    }
    assertKind(kind, await making);
  }

  #local(id: string): AnyActorRoom | undefined {
    const room = matchMaker.getLocalRoomById(id) as AnyActorRoom | undefined;
    return room?.retired ? undefined : room;
  }

  async #send(id: string, command: Command): Promise<Result<unknown> | undefined> {
    const local = this.#local(id);
    if (local) {
      const result = await local.perform(command);
      // It ended before this had its turn: nothing was done.
      const ended = local.ending && !result.ok && result.code === "ENGINE_UNAVAILABLE";
      return ended ? undefined : result;
    }
    if (!this.#redis) return undefined;
    try {
      const call = matchMaker.remoteRoomCall<AnyActorRoom, "perform">;
      return (await call(id, "perform", [command], callTimeoutMs)) as Result<unknown>;
    } catch {
      // Its message repeats the whole command, with passwords in it: it is neither logged nor handed on.
      logger.warn({ id, action: command.action }, "an actor in another process did not answer");
      throw unavailable();
    }
  }

  /** The actor's kind, wherever it is; undefined when there is none, or its process is dead (its rows are swept). */
  async #locate(id: string): Promise<string | undefined> {
    const local = this.#local(id);
    if (local) return local.roomName;
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

  /** Returns whether a process has died; false while Redis is away, or only just back. */
  async hasDied(processId: string): Promise<boolean> {
    if (this.#settledMs > performance.now()) return false;
    return !(await isAlive(processId));
  }

  /**
   * Waits until what is not found is truly missing. Returns whether that took any time.
   * @throws ENGINE_UNAVAILABLE while Redis is away: Colyseus' own connections to it may be back before this one
   */
  async #untilSettled(): Promise<boolean> {
    const waitMs = this.#settledMs - performance.now();
    if (waitMs === Number.POSITIVE_INFINITY) throw unavailable();
    if (waitMs > 0) await pause(waitMs);
    return waitMs > 0;
  }

  /** Returns the kind of the actor that is there. */
  async #make(kind: ActorKind, id: string): Promise<string> {
    const there = await this.#locate(id);
    if (there) return there;
    // One that retires still has to go: it would take its successor out of Colyseus' tables.
    await (matchMaker.getLocalRoomById(id) as AnyActorRoom | undefined)?.ended;
    const release = await this.#lock(id);
    try {
      return (await this.#locate(id)) ?? (await matchMaker.createRoom(kind, { room_id: id })).name;
    } catch (error) {
      throw error instanceof DomainError ? error : (domainErrorIn(error) ?? error);
    } finally {
      await release();
    }
  }

  async #lock(id: string): Promise<() => Promise<unknown>> {
    const redis = this.#redis;
    if (!redis) return async () => undefined;
    const key = lockKeyOf(id);
    const token = newId();
    const untilMs = performance.now() + lockMs;
    while ((await redis.set(key, token, "PX", lockMs, "NX")) === null) {
      if (performance.now() > untilMs) throw unavailable();
      await pause(lockRetryMs);
    }
    return () => redis.eval(releaseScript, 1, key, token);
  }
}
