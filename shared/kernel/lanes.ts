import pLimit, { type LimitFunction } from "p-limit";
import { DomainError } from "./domain-error.ts";

/** Lets work on different things run side by side, and on one thing so many at a time; the rest waits, in order. */
export class Lanes {
  readonly #width: number;
  readonly #waitingMax: number;
  readonly #lanes = new Map<string, { readonly limit: LimitFunction; count: number }>();

  /** `waitingMax`: how many may wait in one lane. */
  constructor({ width, waitingMax }: { readonly width: number; readonly waitingMax: number }) {
    this.#width = width;
    this.#waitingMax = waitingMax;
  }

  /** @throws ENGINE_UNAVAILABLE when too many wait: then nothing was done */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.get(key) ?? { limit: pLimit(this.#width), count: 0 };
    if (lane.count >= this.#width + this.#waitingMax)
      throw new DomainError("ENGINE_UNAVAILABLE", "Too many requests are queued. Try again.", { retryAfter: 1 });
    this.#lanes.set(key, lane);
    lane.count += 1;
    try {
      return await lane.limit(work);
    } finally {
      lane.count -= 1;
      if (lane.count === 0) this.#lanes.delete(key);
    }
  }
}
