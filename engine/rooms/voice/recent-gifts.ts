import type { EventPayloads } from "#shared/contracts/events.ts";

type Animation = Omit<EventPayloads["gift:animation"], "seq">;

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

  readonly #merged = new Map<string, { animation: Animation; senderIds: Set<string> }>();

  /** Keeps a gift that is shown soon, with others of its kind to the same user, as the gift of the last sender. */
  merge(animation: Animation): void {
    const key = `${animation.gift.id} ${animation.recipient.id}`;
    const before = this.#merged.get(key);
    const senderIds = (before?.senderIds ?? new Set()).add(animation.sender.id);
    const quantity = animation.quantity + (before?.animation.quantity ?? 0);
    const total_coins = animation.total_coins + (before?.animation.total_coins ?? 0);
    this.#merged.set(key, { animation: { ...animation, quantity, total_coins }, senderIds });
  }

  get hasMerged(): boolean {
    return this.#merged.size > 0;
  }

  /** Returns the merged gifts, and begins with none. */
  takeMerged(): Animation[] {
    const taken = [...this.#merged.values()];
    this.#merged.clear();
    return taken.map(({ animation, senderIds }) => ({ ...animation, senders: senderIds.size }));
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
