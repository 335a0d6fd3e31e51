import type { Redis } from "ioredis";
import { clock, secondsMs } from "#shared/kernel/clock.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { logger } from "#shared/kernel/logger.ts";
import { within } from "#shared/kernel/within.ts";

/** How often a process reports to the others what it has counted, milliseconds. */
const reportEveryMs = 100;
/** Events of a user that a process may count before it must report them: each can exceed the limit by this many. */
const share = 10;
/**
 * If Redis takes longer to reply, in milliseconds, it counts as unavailable. Until it is back, each process counts
 * separately.
 */
const answerMs = 1000;

interface Tally {
  mine: number;
  rejected: number;
  reported: number;
  /** Counted by the other processes, as far as this one knows. */
  others: number;
}

/**
 * Counts the events of each user, over all their connections, in windows of some seconds. With Redis the processes
 * count together: each counts its own in memory, so that an event waits for Redis only when its user has used up the
 * share that need not be reported first.
 */
export class EventCounter {
  readonly #points: number;
  readonly #windowMs: number;
  readonly #redis: Redis | undefined;
  #window = 0;
  #tallies = new Map<string, Tally>();
  #unreported = new Set<string>();
  #reporting: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ points, seconds }: { readonly points: number; readonly seconds: number }, redis?: Redis) {
    this.#points = points;
    this.#windowMs = secondsMs(seconds);
    this.#redis = redis;
  }

  /** Counts one event. @throws RATE_LIMITED with the seconds to wait */
  async count(key: string): Promise<void> {
    if (!this.#redis) return this.#take(this.#tallyOf(key));
    while (this.#unreportedOf(key) >= share) await this.#report();
    this.#take(this.#tallyOf(key));
    this.#unreported.add(key);
    this.#timer ??= setTimeout(() => void this.#report(), reportEveryMs).unref();
  }

  /** Returns how many events this process has rejected in the current period. */
  rejectedOf(key: string): number {
    return this.#tallyOf(key).rejected;
  }

  #unreportedOf(key: string): number {
    const { mine, reported } = this.#tallyOf(key);
    return mine - reported;
  }

  #tallyOf(key: string): Tally {
    const window = Math.floor(clock.now() / this.#windowMs);
    if (window !== this.#window) {
      this.#window = window;
      this.#tallies = new Map();
      this.#unreported = new Set();
    }
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = { mine: 0, rejected: 0, reported: 0, others: 0 };
      this.#tallies.set(key, tally);
    }
    return tally;
  }

  #take(tally: Tally): void {
    if (tally.mine + tally.others < this.#points) {
      tally.mine += 1;
      return;
    }
    tally.rejected += 1;
    const endMs = (this.#window + 1) * this.#windowMs;
    throw new DomainError("RATE_LIMITED", undefined, {
      retryAfter: Math.max(1, Math.ceil((endMs - clock.now()) / 1000)),
    });
  }

  /** Reports the local counts to the other processes, and reads theirs. One report at a time. */
  #report(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reporting ??= this.#exchange().finally(() => {
      this.#reporting = undefined;
    });
    return this.#reporting;
  }

  async #exchange(): Promise<void> {
    const due = [...this.#unreported].map((key) => {
      const tally = this.#tallyOf(key);
      return { key: `hubbub:events:${this.#window}:${key}`, tally, mine: tally.mine, by: tally.mine - tally.reported };
    });
    this.#unreported.clear();
    const pipeline = this.#redis!.pipeline();
    for (const { key, by } of due) pipeline.incrby(key, by).pexpire(key, 2 * this.#windowMs);

    try {
      const answers = (await within(answerMs, pipeline.exec(), "redis did not answer")) ?? [];
      for (const [index, { tally, mine }] of due.entries()) {
        const [error, total] = answers[2 * index] ?? [];
        if (!error) tally.others = Number(total) - mine;
      }
    } catch (error) {
      logger.warn({ err: error }, "events were counted by this process alone");
    }
    // Also while Redis is unavailable: then each process has its own limit.
    for (const { tally, mine } of due) tally.reported = mine;
  }
}
