import pLimit, { limitFunction } from "p-limit";
import type { DomainEvents, Topic } from "#shared/contracts/domain-events.ts";
import { clock } from "#shared/kernel/clock.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { within } from "#shared/kernel/within.ts";
import { type Delivery, type FailedDelivery, postpone, postponeUnrouted } from "./outbox-failures.ts";
import { recordSlot, type Slots } from "./outbox-slots.ts";
import { inTransaction, sqlState, type Tx } from "./transaction.ts";
import { isUnreachable } from "./unavailable.ts";

/**
 * Step: writes what follows from domain events, for one feature: several of one topic, in the order of the commits.
 * Runs in the transaction that forgets the events, so everything that it writes by `tx` is written once.
 */
export type Recorder<T extends Topic> = (tx: Tx, events: readonly DomainEvents[T][]) => Promise<void>;

/** Records the events of one topic. */
export type RecordEvents = (tx: Tx, topic: Topic, payloads: readonly never[]) => Promise<void>;

/** An event as it is logged; `created_at` is when it was published. */
export type LoggedEvent = Pick<Delivery, "topic" | "payload" | "created_at">;

/** Step: keeps events of any topics for readers outside, in the order of the commits. */
export type LogEvents = (tx: Tx, events: readonly LoggedEvent[]) => void;

const batchSize = 500;
const recordTimeoutMs = 8000;
/** After a failure, events for the same user or room are recorded separately for this long. */
const apartMs = 5000;
/** Groups that are recorded at once, each on a connection of the relay's pool. */
const groupsAtOnce = 3;
const lockTimeout = "55P03";

type UnrecordedEvent = Pick<Delivery, "id" | "topic" | "target" | "attempts">;

/** Step: deletes waiting events. Returns those that were still there. */
type Take = (tx: Tx, rows: readonly UnrecordedEvent[]) => Promise<Recorded[]>;
type Recorded = Omit<Delivery, "slot" | "target">;

/** An event in the outbox that only has to be recorded. `id` is that of the event. */
export type Unrouted = Omit<Delivery, "slot">;

/** The maximum number of unrouted events. */
const unroutedMax = 1000;

/**
 * Records waiting events in batches. A failed batch is divided by `target`, so that targets don't delay each other.
 * Events wait in a slot of `outbox_deliveries`, or still in the outbox, if the router is in the same process.
 */
export class OutboxRecorder {
  readonly #slots: Slots;
  readonly #record: RecordEvents;
  readonly #log: LogEvents | undefined;
  /** In order. They come before those in the slot. */
  #unrouted: Unrouted[] = [];
  readonly #underWay = new Set<number>();
  /** Whether the slot may have events that were never read, and how often it got some. */
  #behind = true;
  #filled = 0;
  /** The last ID read of the slot. Retries are read besides. */
  #readTo = 0;
  /** Whether to read the slot regardless: for retries, and for what another process has routed. */
  #look = true;
  /** The time until which each of these targets is recorded separately. */
  readonly #apart = new Map<string, number>();

  constructor(slots: Slots, record: RecordEvents, log?: LogEvents) {
    this.#slots = slots;
    this.#record = record;
    this.#log = log;
  }

  /** Whether the next events can be recorded without being routed: they overtake none. */
  get ready(): boolean {
    return this.#slots.owns(recordSlot) && !this.#behind && this.#underWay.size < unroutedMax;
  }

  /** Whether so many unrouted events wait that more would not go along in the next batch. */
  get hasFullBatch(): boolean {
    return this.#unrouted.length >= batchSize;
  }

  /** The IDs of unrouted events. */
  get underWay(): ReadonlySet<number> {
    return this.#underWay;
  }

  /** Has events recorded that remain in the outbox until then. The recorder is `ready`. */
  add(events: readonly Unrouted[]): void {
    this.#unrouted.push(...events);
    for (const { id } of events) this.#underWay.add(id);
  }

  /** Called when the slot is about to get events, or if it may have some. */
  fill(): void {
    this.#behind = true;
    this.#filled += 1;
  }

  /** Called if the slot may have events that were not read, or not recorded. */
  readAgain(): void {
    this.#readTo = 0;
    this.fill();
  }

  /** Has the next step read the slot. */
  look(): void {
    this.#look = true;
  }

  /** Records a batch. Returns whether there may be more. */
  async step(): Promise<boolean> {
    if (!this.#slots.owns(recordSlot)) return false;
    const full = await this.#recordUnrouted();
    if (this.#unrouted.length > 0 || !(this.#behind || this.#look)) return full;
    return this.#recordRouted();
  }

  /** Records all unrouted events. Forgets those that can't be recorded now: the next router reads them again. */
  async finish(): Promise<void> {
    try {
      do await this.#recordUnrouted();
      while (this.#unrouted.length > 0);
    } finally {
      this.#unrouted = [];
      this.#underWay.clear();
    }
  }

  /** Records a batch, one at a time. Returns whether it was full. */
  readonly #recordUnrouted = limitFunction(
    async (): Promise<boolean> => {
      const events = this.#unrouted.splice(0, batchSize);
      if (events.length === 0) return false;
      try {
        await postponeUnrouted(this.#slots, await this.#recordAll(events, takeUnrouted));
      } catch (error) {
        this.#unrouted.unshift(...events);
        throw error;
      }
      for (const { id } of events) this.#underWay.delete(id);
      return events.length === batchSize;
    },
    { concurrency: 1 },
  );

  async #recordRouted(): Promise<boolean> {
    this.#look = false;
    const filled = this.#filled;
    // Not by the index of the slots, which would visit all that a long snapshot keeps: retries have their own.
    const rows = await this.#slots.query<UnrecordedEvent>(
      `(SELECT id, topic, target, attempts FROM outbox_deliveries
         WHERE (slot, id) > (${recordSlot}, $1) AND slot <= ${recordSlot} AND attempts = 0
         ORDER BY slot, id LIMIT ${batchSize})
       UNION ALL
       (SELECT id, topic, target, attempts FROM outbox_deliveries
         WHERE slot + 0 = ${recordSlot} AND attempts > 0 AND next_at <= now() ORDER BY next_at LIMIT ${batchSize})
       ORDER BY id LIMIT ${batchSize}`,
      [this.#readTo],
    );
    if (rows.length < batchSize && this.#filled === filled) this.#behind = false;
    try {
      await postpone(this.#slots, await this.#recordAll(rows, takeRouted));
    } catch (error) {
      this.readAgain();
      throw error;
    }
    this.#readTo = rows.findLast(({ attempts }) => attempts === 0)?.id ?? this.#readTo;
    return this.#behind;
  }

  /** Returns those that could not be recorded. */
  async #recordAll(rows: readonly UnrecordedEvent[], take: Take): Promise<FailedDelivery[]> {
    for (const [target, untilMs] of this.#apart) if (untilMs < performance.now()) this.#apart.delete(target);
    const isApart = ({ target, attempts }: UnrecordedEvent) => attempts > 0 || this.#apart.has(target);
    const failures = await Promise.all([
      this.#recordTogether(
        rows.filter((row) => !isApart(row)),
        take,
      ),
      this.#recordApart(rows.filter(isApart), take),
    ]);
    return failures.flat();
  }

  async #recordTogether(rows: readonly UnrecordedEvent[], take: Take): Promise<FailedDelivery[]> {
    const error = await this.#attempt(rows, take);
    return error === undefined ? [] : this.#recordApart(rows, take);
  }

  async #recordApart(rows: readonly UnrecordedEvent[], take: Take): Promise<FailedDelivery[]> {
    const groups = Object.values(Object.groupBy(rows, ({ target }) => target)) as UnrecordedEvent[][];
    const limit = pLimit(groupsAtOnce);
    return (await Promise.all(groups.map((group) => limit(() => this.#recordGroup(group, take))))).flat();
  }

  async #recordGroup(rows: readonly UnrecordedEvent[], take: Take): Promise<FailedDelivery[]> {
    const error = await this.#attempt(rows, take);
    if (error === undefined) return [];
    this.#apart.set(rows[0]!.target, performance.now() + apartMs);
    // A held lock would delay all of them.
    if (rows.length === 1 || sqlState(error) === lockTimeout) return rows.map((delivery) => ({ delivery, error }));

    const failures: FailedDelivery[] = [];
    for (const row of rows) failures.push(...(await this.#recordGroup([row], take)));
    return failures;
  }

  /** Records all of these or none. Returns the error. */
  async #attempt(rows: readonly UnrecordedEvent[], take: Take): Promise<unknown> {
    if (rows.length === 0) return undefined;
    try {
      const done = await within(recordTimeoutMs, this.#commit(rows, take), `not recorded within ${recordTimeoutMs} ms`);
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

  #commit(rows: readonly UnrecordedEvent[], take: Take): Promise<Recorded[]> {
    return inTransaction(async (tx) => {
      const taken = await take(tx, rows);
      const inOrder = taken.sort((a, b) => a.id - b.id);
      const byTopic = Object.entries(Object.groupBy(inOrder, ({ topic }) => topic)) as [Topic, Recorded[]][];
      for (const [topic, deliveries] of byTopic)
        await this.#record(
          tx,
          topic,
          deliveries.map(({ payload }) => payload),
        );
      this.#log?.(tx, inOrder);
      return taken;
    });
  }
}

const takeRouted: Take = (tx, rows) =>
  tx.query<Recorded & Record<string, unknown>>(
    "DELETE FROM outbox_deliveries WHERE id = ANY($1::bigint[]) RETURNING id, topic, payload, attempts, created_at",
    [rows.map(({ id }) => id)],
  );

const takeUnrouted: Take = async (tx, rows) => {
  const deleted = await tx.query<{ id: number }>("DELETE FROM outbox WHERE id = ANY($1::bigint[]) RETURNING id", [
    rows.map(({ id }) => id),
  ]);
  const ids = new Set(deleted.map(({ id }) => id));
  return (rows as readonly Unrouted[]).filter(({ id }) => ids.has(id));
};
