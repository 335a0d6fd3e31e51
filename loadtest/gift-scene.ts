import type { Person } from "./service.ts";

/** Who gives to whom, one pair a connection. */
export interface Pair {
  readonly sender: Person;
  readonly recipient: Person;
}

export interface GiftScene {
  readonly roomId: string;
  readonly giftId: string;
  readonly pairs: readonly Pair[];
}
