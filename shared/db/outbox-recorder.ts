import pLimit from "p-limit";
import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { clock } from "#shared/kernel/clock.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { within } from "#shared/kernel/within.ts";
import { type Delivery, type Failure, postpone } from "./outbox-failures.ts";
import { recordSlot, type Slots } from "./outbox-slots.ts";
import { inTransaction, sqlState, type Tx } from "./transaction.ts";
import { isUnreachable } from "./unavailable.ts";

/**
 * Step: writes what follows from domain events, for one feature: several of one topic, in the order of the commits. Runs
 * in the transaction that forgets the events, so everything that it writes by `tx` is written once.
 */
export type Recorder<T extends Topic> = (tx: Tx, events: readonly DomainEvents[T][]) => Promise<void>;

/** Records the events of one topic. */
export type RecordEvents = (tx: Tx, topic: Topic, payloads: readonly never[]) => Promise<void>;

const batchSize = 500;
const recordTimeoutMs = 8000;
/** After a failure, events for the same user or room are recorded separately for this long. */
const apartMs = 5000;
/** Groups that are recorded at once, each on a connection of the relay's pool. */
const groupsAtOnce = 3;
const lockTimeout = "55P03";

type Waiting = Pick<Delivery, "id" | "topic" | "target" | "attempts">;

/** Records waiting events in batches. A failed batch is divided by `target`, so that targets don't delay each other. */
export class OutboxRecorder {
  readonly #slots: Slots;
  readonly #record: RecordEvents;
  /** The time until which each of these targets is recorded separately. */
  readonly #apart = new Map<string, number>();

  constructor(slots: Slots, record: RecordEvents) {
    this.#slots = slots;
    this.#record = record;
  }

  /** Records a batch. Returns whether there may be more. */
  async step(): Promise<boolean> {
    if (!this.#slots.owns(recordSlot)) return false;
    const rows = await this.#slots.query<Waiting>(
      `SELECT id, topic, target, attempts FROM outbox_deliveries WHERE slot = ${recordSlot} AND next_at <= now()
       ORDER BY id LIMIT ${batchSize}`,
    );

    for (const [target, untilMs] of this.#apart) if (untilMs < performance.now()) this.#apart.delete(target);
    const isApart = ({ target, attempts }: Waiting) => attempts > 0 || this.#apart.has(target);
    const failures = await Promise.all([
      this.#recordTogether(rows.filter((row) => !isApart(row))),
      this.#recordApart(rows.filter(isApart)),
    ]);
    await postpone(this.#slots, failures.flat());
    return rows.length === batchSize;
  }

  async #recordTogether(rows: readonly Waiting[]): Promise<Failure[]> {
    const error = await this.#attempt(rows);
    return error === undefined ? [] : this.#recordApart(rows);
  }

  async #recordApart(rows: readonly Waiting[]): Promise<Failure[]> {
    const groups = Object.values(Object.groupBy(rows, ({ target }) => target)) as Waiting[][];
    const limit = pLimit(groupsAtOnce);
    return (await Promise.all(groups.map((group) => limit(() => this.#recordGroup(group))))).flat();
  }

  async #recordGroup(rows: readonly Waiting[]): Promise<Failure[]> {
    const error = await this.#attempt(rows);
    if (error === undefined) return [];
    this.#apart.set(rows[0]!.target, performance.now() + apartMs);
    // A held lock would delay all of them.
    if (rows.length === 1 || sqlState(error) === lockTimeout) return rows.map((delivery) => ({ delivery, error }));

    const failures: Failure[] = [];
    for (const row of rows) failures.push(...(await this.#recordGroup([row])));
    return failures;
  }

  /** Records all of these or none. Returns the error. */
  async #attempt(rows: readonly Waiting[]): Promise<unknown> {
    if (rows.length === 0) return undefined;
    try {
      const done = await within(recordTimeoutMs, this.#commit(rows), `not recorded within ${recordTimeoutMs} ms`);
      for (const { attempts, created_at } of done)
        if (attempts === 0)
          metrics.outboxLag.observe({ stage: "record" }, (clock.now() - Date.parse(created_at)) / 1000);
      return undefined;
    } catch (error) {
      // None of the events caused it.
      if (isUnreachable(error)) throw error;
      return error;
    }
  }

  #commit(rows: readonly Waiting[]): Promise<Delivery[]> {
    return inTransaction(async (tx) => {
      const taken = await tx.query<Delivery & Record<string, unknown>>(
        "DELETE FROM outbox_deliveries WHERE id = ANY($1::bigint[]) RETURNING id, topic, payload, attempts, created_at",
        [rows.map(({ id }) => id)],
      );
      const inOrder = taken.sort((a, b) => a.id - b.id);
      const byTopic = Object.entries(Object.groupBy(inOrder, ({ topic }) => topic)) as [Topic, Delivery[]][];
      for (const [topic, deliveries] of byTopic)
        await this.#record(
          tx,
          topic,
          deliveries.map(({ payload }) => payload),
        );
      return taken;
    });
  }
}
