import { DomainError } from "#shared/kernel/domain-error.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { inThisTrace } from "#shared/kernel/tracing.ts";

interface Task {
  readonly work: () => unknown;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
  readonly arrivedMs: number;
  /** It is dropped if its turn comes later, by `performance.now()`. */
  readonly dueMs: number;
}

/**
 * How many commands may wait in a mailbox. `all`: of all callers together, because 5,000 users in a full room may act
 * at once, and all join when a show begins. `share`: of one caller, who can send as many in a burst (`eventRate`).
 */
export const mailboxLimits = { all: 5120, share: 60 } as const;

/** After so much work, other parts of the process have a turn of the event loop. */
const sliceMs = 10;

interface Options {
  /**
   * The ID of the caller. If absent, the service itself, which is never rejected (it removes closed connections, for
   * example).
   */
  readonly by?: string;
  /** The work is dropped, and rejected, if its turn comes later than this time of `performance.now()`. */
  readonly dueMs?: number;
}

const overloaded = () =>
  new DomainError("ENGINE_UNAVAILABLE", "This room is overloaded. Try again.", { retryAfter: 1 });
const overShare = () =>
  new DomainError("RATE_LIMITED", "Too many of your actions in this room are waiting. Slow down.", { retryAfter: 1 });

/**
 * Does one piece of work at a time. Callers take turns, whatever each has sent: one who floods the mailbox waits for
 * themselves. The work of each is done in order of arrival. Every second turn is the service's, if it has work, so
 * neither starves the other. Work that finds the mailbox idle and doesn't wait for anything runs at once, without a
 * turn of the event loop.
 */
export class Mailbox {
  readonly #limits: { readonly all: number; readonly share: number };
  readonly #ofService: Task[] = [];
  /** Tasks by caller, none of them empty, in the order of their next turns. */
  readonly #queues = new Map<string, Task[]>();
  #ofCallers = 0;
  #serviceIsNext = true;
  #busy = false;
  /** When the work of this turn of the event loop began. */
  #turnSinceMs: number | undefined;

  constructor(limits: { readonly all: number; readonly share: number } = mailboxLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#ofService.length + this.#ofCallers;
  }

  /**
   * @throws RATE_LIMITED to a caller who has too much waiting, ENGINE_UNAVAILABLE when too many callers wait or the
   * turn came too late: in each case nothing was done. Throws whatever `work` throws.
   */
  run<T>(work: () => T | Promise<T>, { by, dueMs = Number.POSITIVE_INFINITY }: Options = {}): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const task: Task = { work: inThisTrace(work), resolve, reject, arrivedMs: performance.now(), dueMs };
      if (by === undefined) this.#ofService.push(task);
      else {
        const error = this.#enqueue(by, task);
        if (error) return reject(error);
      }
      if (!this.#busy) this.#drain();
    });
  }

  /** Returns why it is rejected, or undefined. */
  #enqueue(by: string, task: Task): DomainError | undefined {
    const queue = this.#queues.get(by) ?? [];
    if (queue.length >= this.#limits.share) return overShare();
    if (this.#ofCallers >= this.#limits.all && !this.#dropLongerThan(queue.length))
      return queue.length > 0 ? overShare() : overloaded();

    queue.push(task);
    this.#queues.set(by, queue);
    this.#ofCallers += 1;
    return undefined;
  }

  /** Frees a place in a full mailbox: drops the last task of the busiest caller. Returns whether there was one. */
  #dropLongerThan(length: number): boolean {
    let longest: Task[] = [];
    for (const queue of this.#queues.values()) if (queue.length > longest.length) longest = queue;
    if (longest.length <= Math.max(1, length)) return false;
    longest.pop()!.reject(overShare());
    this.#ofCallers -= 1;
    return true;
  }

  #next(): Task | undefined {
    const ofService = this.#serviceIsNext || this.#ofCallers === 0 ? this.#ofService.shift() : undefined;
    this.#serviceIsNext = !ofService;
    return ofService ?? this.#nextOfCallers();
  }

  #nextOfCallers(): Task | undefined {
    const [first] = this.#queues;
    if (!first) return undefined;
    const [by, queue] = first;
    const task = queue.shift()!;
    this.#ofCallers -= 1;
    // A caller who had a turn goes to the end.
    this.#queues.delete(by);
    if (queue.length > 0) this.#queues.set(by, queue);
    return task;
  }

  /** Returns whether this turn of the event loop has time for more. */
  #hasTime(nowMs: number): boolean {
    if (this.#turnSinceMs === undefined) {
      this.#turnSinceMs = nowMs;
      setImmediate(() => {
        this.#turnSinceMs = undefined;
      });
    }
    return nowMs - this.#turnSinceMs < sliceMs;
  }

  #drain(): void {
    this.#busy = true;
    while (this.waiting > 0) {
      const nowMs = performance.now();
      if (!this.#hasTime(nowMs)) {
        setImmediate(() => this.#drain());
        return;
      }
      const task = this.#next()!;
      metrics.mailboxWait.observe((nowMs - task.arrivedMs) / 1000);
      if (nowMs > task.dueMs) {
        task.reject(overloaded());
        continue;
      }
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
