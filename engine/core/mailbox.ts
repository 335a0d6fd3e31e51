import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";

interface Task {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
}

/**
 * One piece of work at a time, in order of arrival. Work that finds the mailbox idle and does not wait for anything runs
 * at once, without a turn of the event loop.
 */
export class Mailbox {
  readonly #limit: number;
  #queue: Task[] = [];
  #busy = false;

  /** `limit`: how many may wait. A full room of 2000 may act in one moment, and everybody joins when a show begins. */
  constructor(limit = 2048) {
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /**
   * `beyondLimit`: for what the service itself must get done, such as taking out a connection that is gone.
   * @throws ENGINE_UNAVAILABLE when too many wait; whatever `work` throws
   */
  run<T>(work: () => T | Promise<T>, { beyondLimit = false } = {}): Promise<T> {
    if (this.#queue.length >= this.#limit && !beyondLimit)
      return Promise.reject(
        new DomainError("ENGINE_UNAVAILABLE", "This room is overloaded. Try again.", { retryAfter: 1 }),
      );
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, resolve, reject, arrivedMs: performance.now() });
      if (!this.#busy) this.#drain();
    });
  }

  #drain(): void {
    this.#busy = true;
    for (let task = this.#queue.shift(); task; task = this.#queue.shift()) {
      metrics.mailboxWait.observe((performance.now() - task.arrivedMs) / 1000);
      let result: unknown;
      try {
        result = task.work();
      } catch (error) {
        task.reject(error);
        continue;
      }
      if (!(result instanceof Promise)) {
        task.resolve(result as never);
        continue;
      }
      const { resolve, reject } = task;
      void result.then(resolve as (value: unknown) => void, reject).then(() => this.#drain());
      return;
    }
    this.#busy = false;
  }
}
