import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import type { Recorder } from "#shared/db/outbox-recorder.ts";
import { inTransaction } from "#shared/db/transaction.ts";

/** Records domain events as the relay does: together, in a transaction. */
export const recordEvents = <T extends Topic>(record: Recorder<T>, ...events: DomainEvents[T][]): Promise<void> =>
  inTransaction((tx) => record(tx, events));
