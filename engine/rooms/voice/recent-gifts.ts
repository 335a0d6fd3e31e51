const comboPauseMs = 10_000;
const rememberedGifts = 1000;

function forgetOldest(kept: Set<string> | Map<string, unknown>): void {
  if (kept.size > rememberedGifts) kept.delete(kept.keys().next().value!);
}

/** The last gifts of a room. They come from the outbox, which may deliver one twice. */
export class RecentGifts {
  readonly #seen = new Set<string>();
  readonly #combos = new Map<string, { count: number; lastMs: number }>();

  has(transactionId: string): boolean {
    return this.#seen.has(transactionId);
  }

  add(transactionId: string): void {
    this.#seen.add(transactionId);
    forgetOldest(this.#seen);
  }

  /** Counts one more gift of this kind between these people. Returns how many there were in a row. */
  countCombo(key: string, nowMs: number): number {
    const last = this.#combos.get(key);
    const count = last && nowMs - last.lastMs <= comboPauseMs ? last.count + 1 : 1;
    this.#combos.delete(key);
    this.#combos.set(key, { count, lastMs: nowMs });
    forgetOldest(this.#combos);
    return count;
  }
}
