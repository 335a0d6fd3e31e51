import { setTimeout as pause } from "node:timers/promises";
import pLimit from "p-limit";
import type { DomainEvent, DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { within } from "#shared/kernel/within.ts";
import { locks } from "./locks.ts";
import { query } from "./query.ts";
import { outsideTransaction, sequelize } from "./sequelize.ts";

/** Consumes a domain event. Throws to have it redelivered; may see an event twice, with the same id. */
export type EventConsumer = (event: DomainEvent, id: number) => Promise<void>;

/**
 * The consequences of a domain event: first what is written because of it (`record`: several events at once, in no
 * order), then what is pushed to connected people (`push`: one at a time, in the order of the commits).
 */
export interface EventConsumers {
  readonly record: EventConsumer;
  readonly push: EventConsumer;
}

const batchSize = 100;
/** How often the relay polls: for events of a process that died, and for those to be redelivered. */
const pollMs = 1000;
/**
 * The rows of a batch are locked by a transaction that the database ends after it has been idle for 10 s. So a batch
 * delivers no further events after the first of these times, and a delivery that hangs counts as failed after the second.
 */
const batchBudgetMs = 2000;
const deliveryTimeoutMs = 5000;
/** Events recorded at once; each may hold a connection of the pool. */
const recordedAtOnce = 4;

/** Writes a domain event with the current transaction; called by `Tx.publish` only. */
export async function appendEvent<T extends Topic>(topic: T, payload: DomainEvents[T]): Promise<void> {
  await query("INSERT INTO outbox (topic, payload) VALUES ($1, $2)", [topic, JSON.stringify(payload)]);
}

let wake: () => void = () => {};

/** Wakes the relay; called after each commit that has published events. Cheap. */
export function wakeRelay(): void {
  wake();
}

/** Sets what waking does in a process without a relay: notifying one that has it. */
export function onWake(waker: () => void): void {
  wake = waker;
}

interface OutboxRow {
  id: number;
  topic: Topic;
  payload: never;
  attempts: number;
}

/**
 * Starts the relay of this process: woken by commits, and polling in case a wake-up got lost. Several processes may run
 * one; they take turns. A failed delivery is retried after a growing delay, while others go on. Returns a function that
 * stops the relay after the current batch.
 */
export function startRelay(consumers: EventConsumers): () => Promise<void> {
  let stopped = false;
  let rest = new AbortController();
  wake = () => rest.abort();

  const loop = (async () => {
    while (!stopped) {
      rest = new AbortController();
      const read = await relayBatch(consumers).catch((error: unknown) => {
        logger.error({ err: error }, "outbox relay failed");
        return 0;
      });
      // Rejects when woken, also during the batch.
      if (read < batchSize) await pause(pollMs, undefined, { signal: rest.signal }).catch(() => undefined);
    }
  })();

  return async () => {
    stopped = true;
    wake();
    await loop;
    wake = () => {};
  };
}

/** Delivers one batch. Returns how many rows it has read. */
async function relayBatch({ record, push }: EventConsumers): Promise<number> {
  return sequelize.transaction(async () => {
    // One batch at a time over all processes, so that pushes keep the order of the commits.
    await query("SELECT pg_advisory_xact_lock($1)", [locks.outboxRelay]);
    const rows = await query<OutboxRow>(
      `SELECT id, topic, payload, attempts FROM outbox WHERE next_at <= now()
       ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
    );
    if (rows.length === 0) return 0;

    const deadline = performance.now() + batchBudgetMs;
    const outcomes = new Map<number, Outcome>();
    const attempt = async (consume: EventConsumer, row: OutboxRow) => {
      if (performance.now() > deadline) outcomes.set(row.id, "left");
      else outcomes.set(row.id, await outcomeOf(consume, row));
    };

    const atOnce = pLimit(recordedAtOnce);
    await Promise.all(rows.map((row) => atOnce(() => attempt(record, row))));
    for (const row of rows) if (outcomes.get(row.id) === "delivered") await attempt(push, row);

    await settle(outcomes);
    return rows.length;
  });
}

/** `left`: not tried, because the batch's time is over. */
type Outcome = "delivered" | "failed" | "left";

async function outcomeOf(consume: EventConsumer, row: OutboxRow): Promise<Outcome> {
  try {
    await deliver(consume, row);
    return "delivered";
  } catch (error) {
    metrics.outboxFailures.inc({ topic: row.topic });
    logger.warn({ err: error, topic: row.topic, attempts: row.attempts + 1 }, "domain event will be redelivered");
    return "failed";
  }
}

async function settle(outcomes: ReadonlyMap<number, Outcome>): Promise<void> {
  const of = (outcome: Outcome) => [...outcomes].filter(([, reached]) => reached === outcome).map(([id]) => id);
  const [delivered, failed] = [of("delivered"), of("failed")];

  if (delivered.length > 0) {
    const rows = await query<{ created_at: string }>(
      "DELETE FROM outbox WHERE id = ANY($1::bigint[]) RETURNING created_at",
      [delivered],
    );
    for (const { created_at } of rows) metrics.outboxLag.observe((clock.now() - Date.parse(created_at)) / 1000);
  }

  if (failed.length > 0)
    await query(
      `UPDATE outbox SET attempts = attempts + 1, next_at = now() + least(power(2, attempts), 60) * interval '1 second'
       WHERE id = ANY($1::bigint[])`,
      [failed],
    );
}

async function deliver(consume: EventConsumer, row: OutboxRow): Promise<void> {
  const delivery = outsideTransaction(() => consume({ topic: row.topic, payload: row.payload }, row.id));
  await within(deliveryTimeoutMs, delivery, `not delivered within ${deliveryTimeoutMs} ms`);
}
