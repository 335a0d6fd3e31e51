import { setTimeout as pause } from "node:timers/promises";
import { logger } from "#shared/kernel/logger.ts";

const restMaxMs = 20;

/**
 * Runs `step` whenever it is woken, one run at a time, and again at once while it returns true. Else it rests for as
 * long as the step took, for 20 ms at most.
 */
export class Loop {
  readonly #step: () => Promise<boolean>;
  readonly #ended: Promise<void>;
  #bell = Promise.withResolvers<void>();
  #current: Promise<boolean> | undefined;
  #stopped = false;

  constructor(step: () => Promise<boolean>) {
    this.#step = step;
    this.#ended = this.#run();
  }

  /** Cheap. A step that runs already is followed by another. */
  wake(): void {
    this.#bell.resolve();
  }

  /** Resolves when the current step has ended. Another may follow. */
  async settled(): Promise<void> {
    await this.#current?.catch(() => undefined); // The loop logs it.
  }

  /** Resolves when the current step has ended; no other follows. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.wake();
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
        // Under load, fewer steps do more each.
        else await pause(Math.min(performance.now() - startedMs, restMaxMs));
      } catch (error) {
        logger.error({ err: error }, "outbox relay failed");
      }
    }
  }
}
