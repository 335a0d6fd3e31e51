import type { DomainEvent, Topic } from "#shared/contracts/domain-events.ts";
import { clock } from "#shared/kernel/clock.ts";
import { metrics } from "#shared/kernel/metrics.ts";
import { atMost, within } from "#shared/kernel/within.ts";
import { type Delivery, type FailedDelivery, postpone } from "./outbox-failures.ts";
import { Loop } from "./outbox-loop.ts";
import { recordSlot, type Slots } from "./outbox-slots.ts";

/** How events reach a target. */
export interface Pushes {
  /** Notifies one target. May happen twice. Throws to have the event pushed again. */
  readonly push: (event: DomainEvent, target: string) => Promise<void> | void;
  /** Returns what pushes a batch of a topic's events, if anything does. It throws to have each pushed again, alone. */
  readonly pushBatch?: (
    topic: Topic,
  ) => ((payloads: readonly never[], target: string) => Promise<void> | void) | undefined;
}

/** Deliveries read at once, from each slot and in all. They are pushed in one go: this bounds how long that takes. */
const [readOfSlot, readAtOnce] = [64, 256];
/** Deliveries of one target in memory. The rest stays in the table until half of these are pushed. */
const queueMax = 128;
/** Deliveries in memory, over all targets. Beyond it, nothing more is read. */
const loadedMax = 20_000;
/** Events of a batch. More would hold up others: the process writes each of them to all members of a room in one go. */
const batchMax = 4;
/** A push that takes longer counts as failed. Until then the rest of its target waits, so that the order is kept. */
const pushTimeoutMs = 5000;

const columns = "id, topic, payload, slot, target, attempts, created_at";
type Row = Delivery & Record<string, unknown>;

/** A push of an event that may not be stored as a delivery. */
export interface QueuedPush extends Omit<Delivery, "id"> {
  /** Of the delivery. */
  id?: number;
  outcome?: "pushed" | { readonly error: unknown };
}

interface Target {
  readonly name: string;
  readonly slot: number;
  /** In order; the first ones are in progress. */
  readonly queue: QueuedPush[];
  /** How many. */
  begun: number;
  running?: Promise<void>;
  /** Set when the queue was full: the table has more for this target, with ids above this one. */
  moreAfter?: number;
}

/**
 * Pushes what is due in the slots of this process: side by side by target, and one after the other to each target, in
 * the order of the commits. A push that fails is tried again later, after what follows it.
 */
export class OutboxPusher {
  readonly #slots: Slots;
  readonly #pushes: Pushes;
  readonly #wake: () => void;
  readonly #settling = new Loop(() => this.#settle());
  /** The last id read of each slot that is pushed here. */
  readonly #readTo = new Map<number, number>();
  readonly #targets = new Map<string, Target>();
  /** Slots without deliveries that were never read. */
  readonly #current = new Set<number>();
  /** Slots that got deliveries since the last read began. */
  #filled = new Set<number>();
  /** Deliveries in memory: queued, or pushed and not yet deleted from the table. */
  readonly #loaded = new Set<number>();
  #pushed: number[] = [];
  #failed: FailedDelivery[] = [];
  #lookForRetries = true;

  /** Whether `wake` requested a step. */
  constructor(slots: Slots, pushes: Pushes, wake: () => void) {
    this.#slots = slots;
    this.#pushes = pushes;
    this.#wake = wake;
  }

  take(slots: readonly number[]): void {
    for (const slot of slots) if (slot > recordSlot) this.#readTo.set(slot, 0);
  }

  /** Called when deliveries are about to be stored in these slots; without slots, if there may be some in any. */
  fill(slots: Iterable<number> = this.#readTo.keys()): void {
    for (const slot of slots) {
      this.#current.delete(slot);
      this.#filled.add(slot);
    }
  }

  /**
   * Begins to push what isn't stored, to targets for which nothing waits. Resolves when that has ended, after `waitMs`
   * at the latest. What doesn't have the outcome `pushed` then must be stored before the next call; see `stored`.
   */
  async pushNow(pushes: readonly QueuedPush[], waitMs: number): Promise<void> {
    const begun = new Set<Target>();
    for (const push of pushes) {
      const target = this.#targets.get(push.target);
      // What waits is older, also in a slot that was not read.
      if (target ? !begun.has(target) : !this.#current.has(push.slot)) continue;
      const free = target ?? this.#targetOf(push);
      begun.add(free);
      this.#append(free, push);
    }
    if (begun.size === 0) return;
    await atMost(waitMs, Promise.all([...begun].map(({ running }) => running)));
  }

  /** Called when a push without the outcome `pushed` has been stored as a delivery. */
  stored(push: QueuedPush, id: number): void {
    // Not begun: it is read from the table.
    if (!push.outcome && !this.#targets.get(push.target)?.queue.includes(push)) return;
    push.id = id;
    this.#loaded.add(id);
    if (push.outcome) this.#end(push);
  }

  /** Resolves when the pushes in progress in these slots have ended. Deliveries not yet begun stay in the table. */
  async leave(slots: readonly number[]): Promise<void> {
    for (const slot of slots) {
      this.#readTo.delete(slot);
      this.#current.delete(slot);
    }
    const left = [...this.#targets.values()].filter(({ slot }) => slots.includes(slot));
    for (const target of left) {
      delete target.moreAfter;
      for (const { id } of target.queue.splice(target.begun)) if (id !== undefined) this.#loaded.delete(id);
      if (target.queue.length === 0) this.#targets.delete(target.name);
    }
    await Promise.all(left.map(({ running }) => running));
    await this.#settling.settled();
    await this.#settle();
  }

  /** Requests a step that looks for retries, and settles deliveries that could not be settled before. */
  tick(): void {
    this.#lookForRetries = true;
    this.#wake();
    if (this.#pushed.length + this.#failed.length > 0) this.#settling.wake();
  }

  stop(): Promise<void> {
    return this.#settling.stop();
  }

  /** Reads what is due and begins to push it. Returns whether there may be more. */
  async step(): Promise<boolean> {
    if (this.#readTo.size === 0) return false;
    for (const target of this.#targets.values())
      if (target.moreAfter !== undefined && target.queue.length <= queueMax / 2) await this.#readMore(target);
    if (this.#lookForRetries) await this.#readRetries();
    return this.#loaded.size < loadedMax && this.#readNew();
  }

  async #readNew(): Promise<boolean> {
    const slots = [...this.#readTo.keys()];
    const filled = new Set<number>();
    this.#filled = filled;
    // Only the index of the slots has this order, and that keeps PostgreSQL to it. With `slot =`, the index of all has
    // it, too: statistics from when one slot had all deliveries favour that, which visits what others have delivered.
    const rows = await this.#slots.query<Row>(
      `SELECT due.* FROM unnest($1::smallint[], $2::bigint[]) AS mine (slot, read_to) CROSS JOIN LATERAL (
         SELECT ${columns} FROM outbox_deliveries d
         WHERE (d.slot, d.id) > (mine.slot, mine.read_to) AND d.slot <= mine.slot AND d.attempts = 0
         ORDER BY d.slot, d.id LIMIT ${readOfSlot}
       ) AS due ORDER BY due.id LIMIT ${readAtOnce}`,
      [slots, slots.map((slot) => this.#readTo.get(slot))],
    );

    const counts = new Map<number, number>();
    for (const delivery of rows) {
      const { id, slot } = delivery;
      if (!this.#readTo.has(slot)) continue;
      this.#readTo.set(slot, id);
      counts.set(slot, (counts.get(slot) ?? 0) + 1);
      if (this.#loaded.has(id)) continue;
      const target = this.#targetOf(delivery);
      if (target.moreAfter !== undefined) continue;
      if (target.queue.length < queueMax) this.#enqueue(target, delivery);
      else target.moreAfter = id - 1;
    }
    if (rows.length === readAtOnce) return true;
    const isRead = (slot: number) => counts.get(slot) !== readOfSlot;
    for (const slot of slots) if (isRead(slot) && !filled.has(slot) && this.#readTo.has(slot)) this.#current.add(slot);
    return !slots.every(isRead);
  }

  /** Runs before `#readNew`, never concurrently: that finds what this doesn't. */
  async #readMore(target: Target): Promise<void> {
    const limit = queueMax / 2;
    const rows = await this.#slots.query<Row>(
      `SELECT ${columns} FROM outbox_deliveries
       WHERE (slot, id) > ($1, $3) AND slot <= $1 AND target = $2 AND attempts = 0 ORDER BY slot, id LIMIT ${limit}`,
      [target.slot, target.name, target.moreAfter],
    );
    if (!this.#readTo.has(target.slot)) return;
    if (rows.length === limit) target.moreAfter = rows.at(-1)!.id;
    else delete target.moreAfter;
    for (const delivery of rows) this.#enqueue(target, delivery);
    if (target.queue.length === 0) this.#targets.delete(target.name);
  }

  async #readRetries(): Promise<void> {
    this.#lookForRetries = false;
    const rows = await this.#slots.query<Row>(
      `SELECT ${columns} FROM outbox_deliveries
       WHERE slot = ANY($1::smallint[]) AND attempts > 0 AND next_at <= now() ORDER BY next_at LIMIT $2`,
      [[...this.#readTo.keys()], readAtOnce],
    );
    for (const delivery of rows) if (this.#readTo.has(delivery.slot)) this.#enqueue(this.#targetOf(delivery), delivery);
  }

  #targetOf({ target: name, slot }: QueuedPush): Target {
    const target = this.#targets.get(name) ?? { name, slot, queue: [], begun: 0 };
    this.#targets.set(name, target);
    return target;
  }

  #enqueue(target: Target, delivery: Delivery): void {
    if (this.#loaded.has(delivery.id)) return;
    this.#loaded.add(delivery.id);
    this.#append(target, delivery);
  }

  #append(target: Target, push: QueuedPush): void {
    if (target.queue.push(push) === 1) target.running = this.#pushAll(target);
  }

  /** Pushes the queue of a target, one event or batch after the other. */
  async #pushAll(target: Target): Promise<void> {
    while (target.queue.length > 0) {
      const next = this.#nextBatch(target.queue);
      target.begun = next.length;
      await this.#pushNext(next, target.name);
      target.queue.splice(0, next.length);
      target.begun = 0;
      if (target.moreAfter !== undefined && target.queue.length <= queueMax / 2) this.#wake();
    }
    if (target.moreAfter === undefined) this.#targets.delete(target.name);
    else this.#wake();
  }

  /** Returns what is pushed next. What has failed is pushed alone: one of those pushed together was the cause. */
  #nextBatch([first, ...rest]: readonly QueuedPush[]): readonly QueuedPush[] {
    const { topic, attempts } = first!;
    if (rest.length === 0 || attempts > 0 || !this.#pushes.pushBatch?.(topic)) return [first!];
    const end = rest.findIndex((one, index) => one.topic !== topic || one.attempts > 0 || index + 1 === batchMax);
    return [first!, ...(end === -1 ? rest : rest.slice(0, end))];
  }

  async #pushNext(next: readonly QueuedPush[], target: string): Promise<void> {
    const [{ topic, payload, attempts }] = next as readonly [QueuedPush];
    let outcome: QueuedPush["outcome"] = "pushed";
    try {
      const pushBatch = next.length > 1 ? this.#pushes.pushBatch?.(topic) : undefined;
      const pushing = pushBatch
        ? pushBatch(next.map((one) => one.payload) as never[], target)
        : this.#pushes.push({ topic, payload } as DomainEvent, target);
      if (pushing) await within(pushTimeoutMs, pushing, `not pushed within ${pushTimeoutMs} ms`);
      if (attempts === 0)
        for (const { created_at } of next)
          metrics.outboxLag.observe({ stage: "push" }, (clock.now() - Date.parse(created_at)) / 1000);
    } catch (error) {
      outcome = { error };
    }
    for (const one of next) {
      one.outcome = outcome;
      this.#end(one);
    }
  }

  #end({ id, outcome, topic, target, attempts }: QueuedPush): void {
    // Not stored, at least not yet.
    if (id === undefined) return;
    if (outcome === "pushed") this.#pushed.push(id);
    else this.#failed.push({ delivery: { id, topic, target, attempts }, error: outcome!.error });
    this.#settling.wake();
  }

  /** Deletes what was pushed, and has what failed tried again. */
  async #settle(): Promise<boolean> {
    const [pushed, failed] = [this.#pushed, this.#failed];
    [this.#pushed, this.#failed] = [[], []];
    try {
      if (pushed.length > 0)
        await this.#slots.query("DELETE FROM outbox_deliveries WHERE id = ANY($1::bigint[])", [pushed]);
      await postpone(this.#slots, failed);
    } catch (error) {
      this.#pushed.push(...pushed);
      this.#failed.push(...failed);
      throw error;
    }
    for (const id of pushed) this.#loaded.delete(id);
    for (const { delivery } of failed) this.#loaded.delete(delivery.id);
    return false;
  }
}
