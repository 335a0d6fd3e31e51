import type { Topic } from "#shared/contracts/domain-events.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { countChanges, deleteBatch, deletionOf } from "./batches.ts";
import { recordSlot, routeSlot, type Slots } from "./outbox-slots.ts";
import { query } from "./query.ts";
import type { Tx } from "./transaction.ts";

/** Something to record, or to push to one target. */
export interface Delivery {
  readonly id: number;
  readonly topic: Topic;
  readonly payload: never;
  readonly slot: number;
  readonly target: string;
  readonly attempts: number;
  readonly created_at: string;
}

export interface FailedDelivery {
  readonly delivery: Pick<Delivery, "id" | "topic" | "target" | "attempts">;
  readonly error: unknown;
}

/** The maximum number of attempts of a delivery, over about four minutes. */
export const attemptsMax = 10;
const errorMax = 500;

/**
 * Has failed deliveries tried again after 1, 2, 4 … 60 seconds, and puts those aside as dead letters that have failed
 * too often.
 */
export async function postpone(slots: Slots, failures: readonly FailedDelivery[]): Promise<void> {
  if (failures.length === 0) return;
  report(failures);
  await slots.query(
    `WITH failed AS (
       SELECT * FROM unnest($1::bigint[], $2::text[]) AS failed (id, error)
     ), dead AS (
       DELETE FROM outbox_deliveries d USING failed WHERE d.id = failed.id AND d.attempts + 1 >= $3
       RETURNING d.id, topic, payload, slot, target, attempts + 1 AS attempts, error, created_at
     ), buried AS (
       INSERT INTO outbox_dead_letters (id, topic, payload, slot, target, attempts, error, created_at) SELECT * FROM dead
     )
     UPDATE outbox_deliveries d
     SET attempts = attempts + 1, next_at = now() + least(power(2, attempts), 60) * interval '1 second'
     FROM failed WHERE d.id = failed.id AND d.attempts + 1 < $3`,
    [
      failures.map(({ delivery }) => delivery.id),
      failures.map(({ error }) => String(error).slice(0, errorMax)),
      attemptsMax,
    ],
  );
}

/** Has events that failed to be recorded before they were routed tried again, as above. */
export async function postponeUnrouted(slots: Slots, failures: readonly FailedDelivery[]): Promise<void> {
  if (failures.length === 0) return;
  report(failures);
  await slots.query(
    `WITH failed AS (
       SELECT * FROM unnest($1::bigint[], $2::text[]) AS failed (id, target)
     ), gone AS (
       DELETE FROM outbox o USING failed WHERE o.id = failed.id RETURNING topic, payload, target, created_at
     )
     INSERT INTO outbox_deliveries (topic, payload, slot, target, attempts, next_at, created_at)
     SELECT topic, payload, ${recordSlot}, target, 1, now() + interval '1 second', created_at FROM gone`,
    [failures.map(({ delivery }) => delivery.id), failures.map(({ delivery }) => delivery.target)],
  );
}

function report(failures: readonly FailedDelivery[]): void {
  for (const { delivery, error } of failures) {
    const { id, topic, attempts } = delivery;
    const dead = attempts + 1 >= attemptsMax;
    metrics.outboxFailures.inc({ topic, outcome: dead ? "dead" : "failed" });
    const about = { err: error, topic, id, attempts: attempts + 1 };
    if (dead) logger.error(about, "domain event is dead-lettered");
    else logger.warn(about, "domain event will be redelivered");
  }
}

/** Puts events with an unknown destination, such as those of a later release, aside as dead letters. */
export async function buryUnroutable(slots: Slots, failures: readonly FailedDelivery[]): Promise<void> {
  if (failures.length === 0) return;
  for (const { delivery, error } of failures) {
    metrics.outboxFailures.inc({ topic: delivery.topic, outcome: "dead" });
    logger.error({ err: error, topic: delivery.topic, id: delivery.id }, "domain event is dead-lettered");
  }
  await slots.query(
    `WITH failed AS (
       SELECT * FROM unnest($1::bigint[], $2::text[]) AS failed (id, error)
     ), gone AS (
       DELETE FROM outbox o USING failed WHERE o.id = failed.id RETURNING topic, payload, error, created_at
     )
     INSERT INTO outbox_dead_letters (id, topic, payload, slot, target, attempts, error, created_at)
     SELECT nextval(pg_get_serial_sequence('outbox_deliveries', 'id')), topic, payload, ${routeSlot}, '', 1, error, created_at
     FROM gone`,
    [failures.map(({ delivery }) => delivery.id), failures.map(({ error }) => String(error).slice(0, errorMax))],
  );
}

/** A delivery that has failed too many times. */
export interface DeadLetter {
  readonly id: number;
  readonly topic: Topic;
  readonly payload: unknown;
  /** The target of the push, such as `room:<id>`, or what it was to be recorded for. Empty if unknown. */
  readonly target: string;
  readonly attempts: number;
  /** The error of the last attempt. */
  readonly error: string;
  readonly created_at: string;
  readonly died_at: string;
}

/** Returns dead letters, the latest first; `before` is the ID of the last one on the previous page. */
export const listDeadLetters = ({ limit, before }: { limit: number; before?: number }): Promise<DeadLetter[]> =>
  query<DeadLetter & Record<string, unknown>>(
    `SELECT id, topic, payload, target, attempts, error, created_at, died_at FROM outbox_dead_letters
     WHERE id < coalesce($2::bigint, 9223372036854775807) ORDER BY id DESC LIMIT $1`,
    [limit, before ?? null],
  );

/** Step: has a dead letter tried again, within a second. Returns whether there is one with this id. */
export async function retryDeadLetter(tx: Tx, id: number): Promise<boolean> {
  // Stored as failed once: the relay looks for such deliveries regardless of their ID.
  const rows = await tx.query(
    `WITH letter AS (
       DELETE FROM outbox_dead_letters WHERE id = $1 RETURNING *
     ), unrouted AS (
       INSERT INTO outbox (topic, payload, created_at)
       SELECT topic, payload, created_at FROM letter WHERE slot = ${routeSlot} RETURNING 1
     ), routed AS (
       INSERT INTO outbox_deliveries (id, topic, payload, slot, target, attempts, created_at) OVERRIDING SYSTEM VALUE
       SELECT id, topic, payload, slot, target, 1, created_at FROM letter WHERE slot <> ${routeSlot} RETURNING 1
     )
     SELECT 1 FROM unrouted UNION ALL SELECT 1 FROM routed`,
    [id],
  );
  return rows.length > 0;
}

/** Deletes dead letters after 30 days, in batches; a job calls it. Returns the number of rows. */
export const pruneDeadLetters = (most = 1000): Promise<number> =>
  deleteBatch({ from: "outbox_dead_letters", key: "id", where: "died_at < now() - interval '30 days'" }, most);

/** Step: erases the dead letters that name a user. Returns the number of rows. */
export const eraseDeadLetters = (tx: Tx, userId: string): Promise<number> =>
  countChanges(
    tx,
    userId,
    deletionOf({ from: "outbox_dead_letters", key: "id", where: "strpos(payload::text, $1) > 0" }, 1000),
  );
