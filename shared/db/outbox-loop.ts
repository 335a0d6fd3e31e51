import { clearTimeout, setTimeout } from "node:timers";
import { logger } from "#shared/kernel/logger.ts";

/** How long a loop rests after a step: so many times as long as the step took, and this long at most. */
export interface Rest {
  readonly factor: number;
  readonly maxMs: number;
}

/**
 * Runs `step` whenever it is woken, one run at a time, and again at once while it returns true. Else it rests, by
 * default for as long as the step took, for 20 ms at most: under load, fewer steps do more each.
 */
export class Loop {
  readonly #step: () => Promise<boolean>;
  readonly #rest: Rest;
  readonly #ended: Promise<void>;
  #bell = Promise.withResolvers<void>();
  #current: Promise<boolean> | undefined;
  #endRest = () => {};
  #stopped = false;

  constructor(step: () => Promise<boolean>, rest: Rest = { factor: 1, maxMs: 20 }) {
    this.#step = step;
    this.#rest = rest;
    this.#ended = this.#run();
  }

  /** Cheap. A step that runs already is followed by another. `hurry`: it doesn't wait for the end of a rest. */
  wake(hurry = false): void {
    this.#bell.resolve();
    if (hurry) this.#endRest();
  }

  /** Resolves when the current step has ended. Another may follow. */
  async settled(): Promise<void> {
    await this.#current?.catch(() => undefined); // The loop logs it.
  }

  /** Resolves when the current step has ended; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake(true);
    await this.#ended;
  }

  async #run(): Promise<void> {
    for (;;) {
      await this.#bell.promise;
      if (this.#stopped) return;
      this.#bell = Promise.withResolvers();
      try {
        const startedMs = performance.now();
        this.#current = this.#step();
        if (await this.#current) this.wake();
        else await this.#pause(Math.min((performance.now() - startedMs) * this.#rest.factor, this.#rest.maxMs));
      } catch (error) {
        logger.error({ err: error }, "outbox relay failed");
      }
    }
  }

  async #pause(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endRest = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }
}
