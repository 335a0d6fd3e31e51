import type { Fact, Facts, Topic } from "#shared/contracts/facts.ts";
import { clock } from "#shared/kernel/clock.ts";
import { logger } from "#shared/kernel/logger.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { query } from "./query.ts";
import { outsideTransaction, sequelize } from "./sequelize.ts";

/** Hands a fact to whoever acts on it. Throws when it must come again; may see a fact twice. */
export type FactConsumer = (fact: Fact, id: number) => Promise<void>;

const batchSize = 100;
/** How often the relay looks by itself: for facts of a process that died, and for those to be tried again. */
const pollMs = 1000;
/**
 * Rows in work are locked by a transaction that the database ends after 10 s of waiting. So a batch takes no more facts
 * after the first of these times, and a delivery that hangs counts as failed after the second.
 */
const batchBudgetMs = 2000;
const deliveryTimeoutMs = 5000;

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
  created_at: string;
}

/**
 * Starts the relay of this process: woken by commits, polling as a net. Several processes may run one; rows in work are
 * locked, so each is delivered by one of them. What fails comes again after a growing pause, while the rest goes on.
 * Answers a function that stops it after the batch in work.
 */
export function startRelay(consume: FactConsumer): () => Promise<void> {
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
      const taken = await relayBatch(consume).catch((error: unknown) => {
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
async function relayBatch(consume: FactConsumer): Promise<number> {
  return sequelize.transaction(async () => {
    const rows = await query<OutboxRow>(
      `SELECT id, topic, payload, attempts, created_at FROM outbox WHERE next_at <= now()
       ORDER BY id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
    );
    if (rows.length === 0) return 0;
    const delivered: number[] = [];
    const failed: number[] = [];
    const deadline = performance.now() + batchBudgetMs;
    for (const row of rows) {
      if (performance.now() > deadline) break;
      try {
        await deliver(consume, row);
        delivered.push(row.id);
        metrics.outboxLag.observe((clock.now() - Date.parse(row.created_at)) / 1000);
      } catch (error) {
        failed.push(row.id);
        metrics.outboxFailures.inc({ topic: row.topic });
        logger.warn({ err: error, topic: row.topic, attempts: row.attempts + 1 }, "fact will be delivered again");
      }
    }
    if (delivered.length > 0) await query("DELETE FROM outbox WHERE id = ANY($1::bigint[])", [delivered]);
    if (failed.length > 0)
      await query(
        `UPDATE outbox SET attempts = attempts + 1, next_at = now() + least(power(2, attempts), 60) * interval '1 second'
         WHERE id = ANY($1::bigint[])`,
        [failed],
      );
    return rows.length;
  });
}

async function deliver(consume: FactConsumer, row: OutboxRow): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not delivered within ${deliveryTimeoutMs} ms`)), deliveryTimeoutMs);
  });
  const delivery = outsideTransaction(() => consume({ topic: row.topic, payload: row.payload }, row.id));
  await Promise.race([delivery, timeout]).finally(() => clearTimeout(timer));
}
