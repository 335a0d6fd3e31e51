import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { send } from "./query.ts";

/** Writes domain events with the current transaction; called by `Tx` only. */
export function appendEvents<T extends Topic>(topic: T, payloads: readonly DomainEvents[T][]): void {
  send("INSERT INTO outbox (topic, payload) SELECT $1, payload FROM jsonb_array_elements($2) AS payload", [
    topic,
    JSON.stringify(payloads),
  ]);
}

let wake: () => void = () => {};

/** Wakes the relay; called after each commit that has published events. Cheap. */
export function wakeRelay(): void {
  wake();
}

/** Sets what waking does: in a process without a relay, notifying one that has it. */
export function onWake(waker: () => void): void {
  wake = waker;
}
