import { matchMaker } from "@colyseus/core";
import type { Redis } from "ioredis";
import { connectionsMax } from "#shared/contracts/client-events.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { within } from "#shared/kernel/within.ts";
import { isAlive } from "../core/alive.ts";
import { userChannel } from "./fanout.ts";
import type { Pushing } from "./previous-stream.ts";

const answerMs = 1000;
/** After how long the count of a dead process expires, seconds. */
const rememberedSeconds = 86_400;

const tooMany = () =>
  new DomainError("RATE_LIMITED", "You have {{count}} connections. Close one first.", {
    values: { count: connectionsMax },
    retryAfter: 1,
  });

interface Processes {
  readonly ownId: string;
  isAlive(processId: string): Promise<boolean>;
}

/**
 * Counts each user's connections over both transports and all processes. With Redis each process writes its own number
 * for a user whenever it changes, so nothing drifts. While Redis is unavailable, each process has its own limit.
 */
export class UserConnections {
  readonly #redis: Redis | undefined;
  /** Brings what is pushed to a user while they have a connection. */
  readonly #bus: Pick<Pushing, "want" | "unwant"> | undefined;
  readonly #processes: Processes;
  readonly #counts = new Map<string, number>();

  constructor(
    redis?: Redis,
    bus?: Pick<Pushing, "want" | "unwant">,
    processes: Processes = { ownId: matchMaker.processId, isAlive },
  ) {
    this.#redis = redis;
    this.#bus = bus;
    this.#processes = processes;
  }

  /** Counts a connection. Returns a function that counts it as closed. @throws RATE_LIMITED if the user has too many */
  async open(userId: string): Promise<() => void> {
    const count = this.#change(userId, 1);
    const reached = this.#bus?.want(userChannel(userId));
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      this.#change(userId, -1);
      this.#bus?.unwant(userChannel(userId));
      if (this.#redis) void this.#write(userId);
    };
    if (count <= connectionsMax && (await this.#total(userId)) <= connectionsMax) {
      await this.#untilReached(reached);
      return close;
    }
    close();
    throw tooMany();
  }

  /** Asserts that the user may open one more connection. @throws RATE_LIMITED */
  async assertMayOpen(userId: string): Promise<void> {
    const close = await this.open(userId);
    close();
  }

  /** What is pushed from here on comes to the user, unless Redis is away: then nothing comes from other processes. */
  async #untilReached(reached = Promise.resolve()): Promise<void> {
    try {
      await within(answerMs, reached, "redis did not answer");
    } catch (error) {
      logger.warn({ err: error }, "pushes of other processes reach a connection later");
    }
  }

  #change(userId: string, by: 1 | -1): number {
    const count = (this.#counts.get(userId) ?? 0) + by;
    if (count > 0) this.#counts.set(userId, count);
    else this.#counts.delete(userId);
    return count;
  }

  /** Returns how many connections the user has to all processes; this process' own number while Redis is away. */
  async #total(userId: string): Promise<number> {
    const mine = () => this.#counts.get(userId) ?? 0;
    if (!this.#redis) return mine();
    const others = Object.entries(await this.#write(userId)).filter(
      ([processId]) => processId !== this.#processes.ownId,
    );
    const total = others.reduce((sum, [, count]) => sum + Number(count), mine());
    if (total <= connectionsMax) return total;

    // Some may be those of processes that have died.
    let living = mine();
    for (const [processId, count] of others)
      if (await this.#processes.isAlive(processId)) living += Number(count);
      else await this.#redis.hdel(keyOf(userId), processId);
    return living;
  }

  /** Writes this process' number. Returns those of all processes; none while Redis is away. */
  async #write(userId: string): Promise<Record<string, string>> {
    const key = keyOf(userId);
    const count = this.#counts.get(userId);
    const change = this.#redis!.multi();
    if (count) change.hset(key, this.#processes.ownId, count).expire(key, rememberedSeconds);
    else change.hdel(key, this.#processes.ownId).expire(key, rememberedSeconds);
    try {
      const answers = await within(answerMs, change.hgetall(key).exec(), "redis did not answer");
      return (answers?.at(-1)?.[1] as Record<string, string>) ?? {};
    } catch (error) {
      logger.warn({ err: error }, "connections were counted by this process alone");
      return {};
    }
  }
}

const keyOf = (userId: string) => `hubbub:connections:${userId}`;
