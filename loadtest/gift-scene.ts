import type { Person } from "./service.ts";

/** A sender and a recipient. Each connection has one pair. */
export interface Pair {
  readonly sender: Person;
  readonly recipient: Person;
}

export interface GiftScene {
  readonly roomId: string;
  readonly giftId: string;
  readonly pairs: readonly Pair[];
}
