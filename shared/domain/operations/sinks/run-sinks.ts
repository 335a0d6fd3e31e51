import { setTimeout as pause } from "node:timers/promises";
import { alone, inTransaction } from "#shared/db/transaction.ts";
import { type LogRow, readLog } from "#shared/domain/operations/events/event-log.ts";
import { newId } from "#shared/kernel/ids.ts";
import { logger } from "#shared/kernel/logger.ts";
import { within } from "#shared/kernel/within.ts";
import { type EventSink, openSink, type SinkEvent } from "./event-sink.ts";

const batchSize = 1000;
/** How often a sink without news, or that another process has, is looked at, milliseconds. */
const lookMs = 500;
/** How long a batch may take, and how long a process has a sink for itself, which is longer: milliseconds, seconds. */
const [writeMs, leaseSeconds] = [10_000, 20];
/** The longest pause after failures, milliseconds. */
const pauseMaxMs = 30_000;
const errorMax = 300;

let urls: readonly string[] = [];

/** Sets the sinks of this service, by the URLs of `EVENT_SINKS`. */
export function configureSinks(chosen: readonly string[]): void {
  urls = chosen;
}

/** Returns the name of a sink: its URL without the password. */
export function nameOfSink(url: string): string {
  const parsed = new URL(url);
  parsed.password = "";
  return parsed.href;
}

const leaseEnd = `clock_timestamp() + interval '${leaseSeconds} seconds'`;

const toSinkEvent = ({ id, kind, key, created_at, data }: LogRow): SinkEvent => ({
  ...{ id, type: kind, key, timestamp: created_at, data },
});

interface Place {
  readonly position: number;
  /** The end of a batch whose outcome is unknown. It is written again as it was, so that the sink can recognize it. */
  readonly batch_to: number | null;
}

/** A sink that this process tends, if no other does. */
export class SinkRunner {
  readonly #name: string;
  readonly #sink: EventSink;
  readonly #owner = newId();
  #failures = 0;

  constructor(name: string, sink: EventSink) {
    this.#name = name;
    this.#sink = sink;
  }

  /** Writes a batch. Returns whether there may be more. @throws what the sink throws */
  async step(): Promise<boolean> {
    const place = await this.#claim();
    if (!place) return false;
    const { position, batch_to } = place;
    const read = await readLog(position, batchSize);
    const rows = batch_to === null ? read : read.filter((row) => row.position <= batch_to);
    const to = batch_to ?? rows.at(-1)?.position;
    if (to === undefined || !(await this.#begin(position, to))) return false;

    // Without rows, the log was pruned since.
    if (rows.length > 0) await this.#write(rows.map(toSinkEvent));
    await this.#end(position, to);
    this.#failures = 0;
    return rows.length === batchSize || batch_to !== null;
  }

  /** Runs until it is stopped, and then leaves the sink to others. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const more = await this.step().catch((error: unknown) => this.#failed(error));
      const waitMs = more ? 0 : Math.min(lookMs * 2 ** this.#failures, pauseMaxMs);
      if (waitMs > 0) await pause(waitMs, undefined, { signal }).catch(() => undefined);
    }
    await this.#sink.close();
    await alone("UPDATE event_sinks SET owner = NULL, owned_until = NULL WHERE name = $1 AND owner = $2", [
      this.#name,
      this.#owner,
    ]);
  }

  async #write(batch: readonly SinkEvent[]): Promise<void> {
    const writing = this.#sink.write(batch, AbortSignal.timeout(writeMs));
    await within(writeMs, writing, `not written within ${writeMs / 1000} s`);
  }

  /** Has this process tend the sink for a time. Returns where it is, unless another process tends it. */
  async #claim(): Promise<Place | undefined> {
    const [place] = await alone<Place & Record<string, unknown>>(
      `UPDATE event_sinks SET owner = $2, owned_until = ${leaseEnd}
       WHERE name = $1 AND (owner = $2 OR owned_until IS NULL OR owned_until < clock_timestamp())
       RETURNING position, batch_to`,
      [this.#name, this.#owner],
    );
    return place;
  }

  /** Notes what is about to be written. Returns false if the sink was moved, or another process has it. */
  async #begin(position: number, to: number): Promise<boolean> {
    const begun = await alone(
      `UPDATE event_sinks SET batch_to = $4, owned_until = ${leaseEnd}
       WHERE name = $1 AND owner = $2 AND position = $3 RETURNING 1`,
      [this.#name, this.#owner, position, to],
    );
    return begun.length > 0;
  }

  /** Moves the sink on, unless it was moved elsewhere meanwhile. */
  async #end(position: number, to: number): Promise<void> {
    await alone(
      `UPDATE event_sinks SET position = $4, batch_to = NULL, error = NULL, written_at = now()
       WHERE name = $1 AND owner = $2 AND position = $3 AND batch_to = $4`,
      [this.#name, this.#owner, position, to],
    );
  }

  async #failed(error: unknown): Promise<boolean> {
    this.#failures += 1;
    logger.warn({ err: error, sink: this.#name }, "events could not be written to a sink; they are written again");
    // Nothing of the failed batch may arrive later than the next one.
    await this.#sink.close().catch(() => undefined);
    await alone("UPDATE event_sinks SET error = $3 WHERE name = $1 AND owner = $2", [
      this.#name,
      this.#owner,
      String((error as Error).message).slice(0, errorMax),
    ]).catch(() => undefined);
    return false;
  }
}

/**
 * Tends the sinks of this service, each in one process at a time. New ones get what happens from now on; those that are
 * no longer configured keep their place, but nothing is kept for them. Returns a function that ends it.
 */
export async function startSinks(): Promise<() => Promise<void>> {
  const sinks = new Map(urls.map((url) => [nameOfSink(url), url]));
  await inTransaction(async (tx) => {
    const changed = await tx.query(
      `WITH added AS (
         INSERT INTO event_sinks (name, position) SELECT name, (SELECT coalesce(max(position), 0) FROM event_log)
         FROM unnest($1::text[]) AS name ON CONFLICT (name) DO NOTHING RETURNING name
       ), switched AS (
         UPDATE event_sinks SET active = NOT active WHERE active <> (name = ANY ($1)) RETURNING name
       )
       SELECT name FROM added UNION SELECT name FROM switched`,
      [[...sinks.keys()]],
    );
    if (changed.length > 0) await tx.signal("events.wanted", {});
  });
  const ending = new AbortController();
  const running = [...sinks].map(([name, url]) => new SinkRunner(name, openSink(url)).run(ending.signal));
  return async () => {
    ending.abort();
    await Promise.all(running);
  };
}
