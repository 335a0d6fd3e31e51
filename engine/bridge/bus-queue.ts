import { setTimeout as pause } from "node:timers/promises";
import { logger } from "#shared/kernel/logger.ts";

/** The most messages that wait for Redis: then they are given up, and the other processes are told so. */
const waitingMax = 20_000;
/** The most arguments of a batch, about: Redis does nothing else meanwhile. */
const batchArgs = 2000;
const retryMs = 100;
/** How long after a batch the next one is sent if all that it has may wait, milliseconds. */
const restMs = 50;
/** How often a batch is tried that Redis refuses, because it is full or can't write. */
const triesMax = 50;

interface Operation {
  readonly args: readonly string[];
  readonly done?: () => void;
}

/** Sends a batch. Returns whether it was performed; otherwise claims are made again by who sends them. */
type Run = (number: string, args: readonly string[]) => Promise<boolean>;

/**
 * Sends operations to Redis in order, one batch at a time: what comes meanwhile shares the next. Claims don't wait for
 * messages, which may be held. Messages that may wait rest between batches: each batch costs every process that it
 * concerns about as much as the delivery of a message to forty sockets. Whatever may not wait takes them along.
 */
export class BusQueue {
  readonly #run: Run;
  /** Claims of this process, and their ends. */
  #own: Operation[] = [];
  #messages: Operation[] = [];
  #batches = 0;
  #heldUntilMs = 0;
  #restUntilMs = 0;
  /** Something waits that may not rest. */
  #isUrgent = false;
  #endRest: (() => void) | undefined;
  #isOver = false;
  #sending: Promise<void> | undefined;
  #isStopped = false;

  constructor(run: Run) {
    this.#run = run;
  }

  /** `mayRest`: it may be sent up to 50 ms later, with others. */
  add(args: readonly string[], mayRest = false): void {
    if (this.#messages.length >= waitingMax) {
      this.#messages = [];
      this.#isOver = true;
      logger.warn("too many pushes to other processes wait for redis: those processes are told to catch up");
    }
    this.#messages.push({ args });
    this.#begin(mayRest);
  }

  /** Resolves when Redis has performed it. */
  addOwn(args: readonly string[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#own.push({ args, done: resolve });
    this.#begin();
    return promise;
  }

  /** Gives up claims that wait, which are made again: those count as performed then. */
  dropOwn(dropped = this.#own): void {
    if (dropped === this.#own) this.#own = [];
    // After those that are added now.
    queueMicrotask(() => {
      void this.addOwn([]).then(() => {
        for (const { done } of dropped) done?.();
      });
    });
  }

  /** Has the other processes told that they may have missed messages. */
  tellMissed(): void {
    this.#isOver = true;
    this.#begin();
  }

  /** Keeps messages back for a while. */
  hold(forMs: number): void {
    this.#heldUntilMs = performance.now() + forMs;
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    this.#hurry();
    await this.#sending;
  }

  stop(): void {
    this.#isStopped = true;
  }

  #begin(mayRest = false): void {
    if (!mayRest) this.#hurry();
    this.#sending ??= this.#send();
  }

  #hurry(): void {
    this.#isUrgent = true;
    this.#endRest?.();
  }

  async #send(): Promise<void> {
    // What the same turn of the event loop adds shares the first batch.
    await undefined;
    while (!this.#isStopped && (this.#isOver || this.#own.length + this.#messages.length > 0)) {
      const heldMs = this.#own.length > 0 ? 0 : this.#heldUntilMs - performance.now();
      const waitMs = this.#isUrgent ? 0 : this.#restUntilMs - performance.now();
      if (heldMs > 0) await pause(Math.min(heldMs, retryMs), undefined, { ref: false });
      else if (waitMs > 0) await this.#rest(waitMs);
      else await this.#sendBatch(this.#take());
    }
    // At once: what comes from here on begins again.
    this.#sending = undefined;
  }

  /** Waits so long, or until something comes that doesn't. */
  async #rest(forMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, forMs);
    this.#endRest = resolve;
    await promise;
    clearTimeout(timer);
    this.#endRest = undefined;
  }

  #take(): Operation[] {
    const batch: Operation[] = [];
    let size = 0;
    const take = (from: Operation[]) => {
      let count = 0;
      for (; count < from.length && size < batchArgs; count += 1) size += from[count]!.args.length;
      batch.push(...from.splice(0, count));
    };
    take(this.#own);
    if (performance.now() < this.#heldUntilMs) return batch;
    if (this.#isOver) batch.push({ args: ["missed"] });
    this.#isOver = false;
    take(this.#messages);
    this.#restUntilMs = performance.now() + restMs;
    // What doesn't fit goes at once.
    this.#isUrgent = this.#own.length + this.#messages.length > 0;
    return batch;
  }

  async #sendBatch(batch: readonly Operation[]): Promise<void> {
    this.#batches += 1;
    const [number, args] = [`${this.#batches}`, batch.flatMap((operation) => operation.args)];
    for (let tries = 0; !this.#isStopped; tries += 1) {
      try {
        if (await this.#run(number, args)) break;
        this.#messages.unshift(...batch.filter((operation) => !operation.done));
        this.dropOwn(batch.filter((operation) => operation.done));
        return;
      } catch (error) {
        if (this.#isStopped) return;
        logger.warn({ err: error }, "redis did not take what is pushed to other processes");
        if (tries >= triesMax) {
          this.#isOver = true;
          break;
        }
        await pause(retryMs, undefined, { ref: false });
      }
    }
    for (const { done } of batch) done?.();
  }
}
