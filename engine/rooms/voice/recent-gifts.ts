const comboPauseMs = 10_000;
const rememberedGifts = 1000;

/** The last gifts of a room. They come from the outbox, which may deliver one twice. */
export class RecentGifts {
  readonly #seen = new Set<string>();
  readonly #combos = new Map<string, { count: number; lastMs: number }>();

  has(transactionId: string): boolean {
    return this.#seen.has(transactionId);
  }

  add(transactionId: string): void {
    this.#seen.add(transactionId);
    if (this.#seen.size > rememberedGifts) this.#seen.delete(this.#seen.values().next().value!);
  }

  /** Counts one more gift of this kind between these people. Returns how many there were in a row. */
  countCombo(key: string, nowMs: number): number {
    const last = this.#combos.get(key);
    const count = last && nowMs - last.lastMs <= comboPauseMs ? last.count + 1 : 1;
    this.#combos.delete(key);
    this.#combos.set(key, { count, lastMs: nowMs });
    for (const old of this.#combos.keys()) {
      if (this.#combos.size <= rememberedGifts) break;
      this.#combos.delete(old);
    }
    return count;
  }
}
