import type { DomainEvent, Topic } from "#shared/contracts/domain-events.ts";
import { buryUnroutable, type FailedDelivery } from "./outbox-failures.ts";
import type { OutboxPusher, QueuedPush } from "./outbox-pusher.ts";
import type { OutboxRecorder, Unrouted } from "./outbox-recorder.ts";
import { recordSlot, routeSlot, type Slots, slotOf } from "./outbox-slots.ts";

const batchSize = 500;
/** How long a batch waits for its pushes, before those that have not ended are stored. */
const pushWithinMs = 40;

/** Where an event goes. */
export interface OutboxRoute {
  /** The user or room that something is recorded for, if anything is. */
  readonly recordFor: string | undefined;
  readonly pushTo: readonly string[];
}

interface OutboxRow {
  readonly id: number;
  readonly topic: Topic;
  readonly payload: never;
  readonly created_at: string;
}

/** An event with all that it causes. */
interface Routed {
  readonly row: OutboxRow;
  readonly recordFor: string | undefined;
  readonly pushes: readonly QueuedPush[];
}

/** A delivery to be stored: a push, or without it a record. */
interface Place {
  readonly id: number;
  readonly slot: number;
  readonly target: string;
  readonly push?: QueuedPush;
}

/**
 * Which events were read. While a transaction still sees deleted rows, such as a long backup, each look would visit all
 * of them, so it begins behind those that are certainly gone.
 */
interface Reading {
  /** A look begins behind this ID. */
  after: number;
  /** All events up to this ID are committed, or rolled back. */
  settled: number;
  highest: number;
  /** Events up to this ID may be uncommitted until all transactions before `xmax` have ended. */
  mark?: { readonly id: number; xmax?: number };
}

/**
 * Takes events from the outbox, in the order of the commits. What this process can push, it pushes at once, and hands
 * over what it can record: such events stay in the outbox until then. Deliveries are stored of the rest: for other
 * processes, behind others, slow, or failed.
 */
export class OutboxRouter {
  readonly #slots: Slots;
  readonly #routeOf: (event: DomainEvent) => OutboxRoute;
  readonly #recorder: OutboxRecorder;
  readonly #pusher: OutboxPusher;
  #reading: Reading = { after: 0, settled: 0, highest: 0 };

  constructor(
    slots: Slots,
    routeOf: (event: DomainEvent) => OutboxRoute,
    { recorder, pusher }: { recorder: OutboxRecorder; pusher: OutboxPusher },
  ) {
    this.#slots = slots;
    this.#routeOf = routeOf;
    this.#recorder = recorder;
    this.#pusher = pusher;
  }

  /** Routes a batch. Returns the slots that got something to do, and whether there may be more. */
  async step(): Promise<{ filled: readonly number[]; more: boolean }> {
    if (!this.#slots.owns(routeSlot)) return { filled: [], more: false };
    const reading = this.#reading;
    const { after, settled } = reading;
    const rows = await this.#slots.query<OutboxRow & Record<string, unknown>>(
      `SELECT id, topic, payload, created_at FROM outbox WHERE id > $2 AND id <> ALL($1::bigint[])
       ORDER BY id LIMIT ${batchSize}`,
      [[...this.#recorder.underWay], after],
    );
    const [first, last] = [rows[0], rows.at(-1)];
    reading.after = Math.max(after, Math.min(settled, first ? first.id - 1 : settled));
    reading.highest = Math.max(reading.highest, last?.id ?? 0);
    if (rows.length === 0) return { filled: [], more: false };

    const routed = await this.#routeAll(rows);
    await this.#pusher.pushNow(
      routed.flatMap(({ pushes }) => pushes),
      pushWithinMs,
    );
    const filled = await this.#settle(routed);
    return { filled, more: rows.length === batchSize };
  }

  /** Has the next look read all events. Called if some that were read may not have been routed or recorded. */
  readAgain(): void {
    this.#reading = { after: 0, settled: 0, highest: 0 };
    this.#pusher.fill();
  }

  /**
   * Finds out which events are settled; called regularly. Transactions draw IDs before they commit, and just before
   * PostgreSQL numbers them: those that have drawn one by now are numbered at the next call, and have ended when all
   * before the next number have.
   */
  async observe(): Promise<void> {
    if (!this.#slots.owns(routeSlot)) return;
    const reading = this.#reading;
    if (reading.mark) {
      const [running] = await this.#slots.query<{ xmin: number; xmax: number }>(
        `SELECT pg_snapshot_xmin(s)::text::bigint AS xmin, pg_snapshot_xmax(s)::text::bigint AS xmax
         FROM pg_current_snapshot() AS s`,
      );
      const { xmin, xmax } = running!;
      if (reading.mark.xmax === undefined) reading.mark.xmax = xmax;
      else if (xmin >= reading.mark.xmax) {
        reading.settled = reading.mark.id;
        delete reading.mark;
      }
    }
    if (reading.highest > reading.settled) reading.mark ??= { id: reading.highest };
  }

  async #routeAll(rows: readonly OutboxRow[]): Promise<Routed[]> {
    const routed: Routed[] = [];
    const failures: FailedDelivery[] = [];
    for (const row of rows) {
      const { id, topic, payload, created_at } = row;
      try {
        const { recordFor, pushTo } = this.#routeOf({ topic, payload } as DomainEvent);
        const pushes = [...new Set(pushTo)].map(
          (target): QueuedPush => ({ topic, payload, created_at, target, slot: slotOf(target), attempts: 0 }),
        );
        routed.push({ row, recordFor, pushes });
      } catch (error) {
        failures.push({ delivery: { id, topic, target: "", attempts: 0 }, error });
      }
    }
    await buryUnroutable(this.#slots, failures);
    return routed;
  }

  /** Hands over what only has to be recorded, and stores what else is left of the others. Returns the slots. */
  async #settle(routed: readonly Routed[]): Promise<readonly number[]> {
    const unrouted: Unrouted[] = [];
    const gone: number[] = [];
    const places: Place[] = [];
    let mayHandOver = this.#recorder.ready;
    for (const { row, recordFor, pushes } of routed) {
      const { id } = row;
      const left = pushes.filter(({ outcome }) => outcome !== "pushed");
      if (recordFor !== undefined && left.length === 0 && mayHandOver) {
        unrouted.push({ ...row, target: recordFor, attempts: 0 });
        continue;
      }
      gone.push(id);
      if (recordFor !== undefined) {
        places.push({ id, slot: recordSlot, target: recordFor });
        mayHandOver = false;
      }
      for (const push of left) places.push({ id, slot: push.slot, target: push.target, push });
    }
    this.#recorder.add(unrouted);
    const filled = new Set(places.map(({ slot }) => slot));
    if (filled.has(recordSlot)) this.#recorder.fill();
    this.#pusher.fill(filled);

    // One statement, on the connection that holds the lock: a process that has lost the lock moves nothing.
    if (gone.length > 0)
      for (const { place, id } of await this.#slots.query<{ place: number; id: number }>(storing, [
        gone,
        places.map(({ id }) => id),
        places.map(({ slot }) => slot),
        places.map(({ target }) => target),
      ])) {
        const { push } = places[place - 1]!;
        if (push) this.#pusher.stored(push, id);
      }
    return [...filled, ...(unrouted.length > 0 ? [recordSlot] : [])];
  }
}

/** The IDs are drawn in order. */
const storing = `WITH gone AS (
    DELETE FROM outbox WHERE id = ANY($1::bigint[]) RETURNING id, topic, payload, created_at
  ), numbered AS MATERIALIZED (
    SELECT nextval(pg_get_serial_sequence('outbox_deliveries', 'id')) AS delivery_id, route.* FROM (
      SELECT * FROM unnest($2::bigint[], $3::smallint[], $4::text[]) WITH ORDINALITY AS route (id, slot, target, place)
        JOIN gone USING (id)
      ORDER BY place
    ) AS route
  ), stored AS (
    INSERT INTO outbox_deliveries (id, topic, payload, slot, target, created_at) OVERRIDING SYSTEM VALUE
    SELECT delivery_id, topic, payload, slot, target, created_at FROM numbered ORDER BY place
  )
  SELECT place, delivery_id AS id FROM numbered`;
