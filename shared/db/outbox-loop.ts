import { logger } from "#shared/kernel/logger.ts";

/** Runs `step` whenever it is woken, one run at a time, and again at once while it returns true. Rests after an error. */
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
        this.#current = this.#step();
        if (await this.#current) this.wake();
      } catch (error) {
        logger.error({ err: error }, "outbox relay failed");
      }
    }
  }
}
