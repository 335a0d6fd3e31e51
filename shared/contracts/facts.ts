import type { GiftTransaction } from "./views.ts";

/**
 * What has happened, in the past tense: written to the outbox in the transaction that made it true, delivered at least
 * once after the commit.
 */
export interface Facts {
  "gift.sent": { transaction: GiftTransaction };
  "user.suspended": { user_id: string };
}

export type Topic = keyof Facts;

export type Fact = { [T in Topic]: { readonly topic: T; readonly payload: Facts[T] } }[Topic];
