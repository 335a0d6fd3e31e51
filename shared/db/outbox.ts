import pLimit from "p-limit";
import type { Fact, Facts, Topic } from "#shared/contracts/facts.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { locks } from "./locks.ts";
import { query } from "./query.ts";
import { outsideTransaction, sequelize } from "./sequelize.ts";

/** Acts on a fact. Throws when it must come again; may see a fact twice, by the same id. */
export type FactConsumer = (fact: Fact, id: number) => Promise<void>;

/**
 * What a fact brings about. First what is written because of it (`record`: several facts at once, so it keeps no order),
 * and once that stands, what connected people are told (`push`: one after the other, in the order of the commits).
 */
export interface FactConsumers {
  readonly record: FactConsumer;
  readonly push: FactConsumer;
}

const batchSize = 100;
/** How often the relay looks by itself: for facts of a process that died, and for those to be tried again. */
const pollMs = 1000;
/**
 * Rows in work are locked by a transaction that the database ends after 10 s of waiting. So a batch takes no more facts
 * after the first of these times, and a delivery that hangs counts as failed after the second.
 */
const batchBudgetMs = 2000;
const deliveryTimeoutMs = 5000;
/** Facts recorded at once; each may hold a connection of the pool. */
const recordedAtOnce = 4;

/** Writes a domain event with the current transaction; called by `Tx.publish` only. */
export async function appendFact<T extends Topic>(topic: T, payload: Facts[T]): Promise<void> {
  await query("INSERT INTO outbox (topic, payload) VALUES ($1, $2)", [topic, JSON.stringify(payload)]);
}

let wake: () => void = () => {};

/** Says that facts were committed. Cheap; called after each commit that published. */
export function wakeRelay(): void {
  wake();
}

/** What waking means in a process that runs no relay: telling one that does. */
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
 * Starts the relay of this process: woken by commits, polling as a net. Several processes may run one: they
 * take turns. What fails comes again after a growing pause, while the rest goes on. Answers a function that stops it after
 * the batch in work.
 */
export function startRelay(consumers: FactConsumers): () => Promise<void> {
  let stopped = false;
  let woken = true;
  let rouse: () => void = () => {};
  wake = () => {
    woken = true;
    rouse();
  };
  const loop = (async () => {
    while (!stopped) {
      woken = false;
      const taken = await relayBatch(consumers).catch((error: unknown) => {
        logger.error({ err: error }, "outbox relay failed");
        return 0;
      });
      if (taken === batchSize || woken || stopped) continue;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pollMs);
        rouse = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  })();
  return async () => {
    stopped = true;
    wake();
    await loop;
    wake = () => {};
  };
}

/** Delivers one batch; answers how many rows it took. */
async function relayBatch({ record, push }: FactConsumers): Promise<number> {
  return sequelize.transaction(async () => {
    // One batch at a time, over all processes: what people are told keeps the order of the commits.
    await query("SELECT pg_advisory_xact_lock($1)", [locks.outboxRelay]);
    const rows = await query<OutboxRow>(
      `SELECT id, topic, payload, attempts FROM outbox WHERE next_at <= now()
       ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
    );
    if (rows.length === 0) return 0;
    const deadline = performance.now() + batchBudgetMs;
    const outcomes = new Map<number, Outcome>();
    const attempt = async (consume: FactConsumer, row: OutboxRow) => {
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

/** `left`: not tried, because the batch has taken long enough. */
type Outcome = "delivered" | "failed" | "left";

async function outcomeOf(consume: FactConsumer, row: OutboxRow): Promise<Outcome> {
  try {
    await deliver(consume, row);
    return "delivered";
  } catch (error) {
    metrics.outboxFailures.inc({ topic: row.topic });
    logger.warn({ err: error, topic: row.topic, attempts: row.attempts + 1 }, "fact will be delivered again");
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

async function deliver(consume: FactConsumer, row: OutboxRow): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not delivered within ${deliveryTimeoutMs} ms`)), deliveryTimeoutMs);
  });
  const delivery = outsideTransaction(() => consume({ topic: row.topic, payload: row.payload }, row.id));
  await Promise.race([delivery, timeout]).finally(() => clearTimeout(timer));
}
