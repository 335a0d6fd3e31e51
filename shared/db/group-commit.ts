import { toUnavailableError } from "./unavailable.ts";

type QueuedRow<Row, Outcome> = { readonly row: Row } & PromiseWithResolvers<Outcome>;

/** The maximum number of rows in one batch, and of rows that wait. */
const batchMax = 200;
const waitingMax = 5000;
/** After how long a batch counts as held up, milliseconds. */
const heldUpMs = 50;

interface Options {
  /** Batches stored side by side. */
  readonly atOnce?: number;
  /**
   * How many rows must wait for a batch to begin beside another, unless that one is held up: small batches cost more
   * each. More rows are divided among the batches that may begin. By default, one is enough, and nothing is divided.
   */
  readonly besideFrom?: number;
}

/**
 * Group commit: rows that arrive while batches are being stored go together in the next one. A lone row doesn't wait,
 * and a busy service stores hundreds of rows for the price of one commit. One batch at a time keeps the order.
 */
export class GroupCommit<Row, Outcome> {
  readonly #store: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
  readonly #atOnce: number;
  readonly #besideFrom: number;
  #waiting: QueuedRow<Row, Outcome>[] = [];
  /** Loops that store batches or are about to, and those that do. */
  #writing = 0;
  #storing = 0;
  #begunMs = 0;

  /** `store` writes rows in one transaction and returns an outcome for each, in order. */
  constructor(
    store: (rows: readonly Row[]) => Promise<readonly Outcome[]>,
    { atOnce = 1, besideFrom = 1 }: Options = {},
  ) {
    this.#store = store;
    this.#atOnce = atOnce;
    this.#besideFrom = besideFrom;
  }

  /** Whether too many rows wait to add another. */
  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  /** Resolves to the row's outcome; the row is durable if the outcome says so. */
  add(row: Row): Promise<Outcome> {
    const waiting = { row, ...Promise.withResolvers<Outcome>() };
    this.#waiting.push(waiting);
    if (this.#mayBegin(this.#writing)) void this.#write();
    return waiting.promise;
  }

  /** Whether a batch may begin beside so many others. */
  #mayBegin(others: number): boolean {
    if (others === 0 || others >= this.#atOnce) return others === 0;
    return this.#waiting.length >= this.#besideFrom || performance.now() - this.#begunMs > heldUpMs;
  }

  /**
   * How many of the rows that wait go in one batch: all, unless there are enough for each of the batches that may
   * begin.
   */
  #share(): number {
    const free = this.#atOnce - this.#storing;
    const { length } = this.#waiting;
    const isEnough = this.#besideFrom > 1 && length >= free * this.#besideFrom;
    return Math.min(batchMax, isEnough ? Math.ceil(length / free) : length);
  }

  async #write(): Promise<void> {
    this.#writing += 1;
    for (;;) {
      // What arrives in the same turn of the event loop goes along.
      await new Promise(setImmediate);
      if (!this.#mayBegin(this.#storing)) break;
      const batch = this.#waiting.splice(0, this.#share());
      if (batch.length === 0) break;
      this.#begunMs = performance.now();
      this.#storing += 1;
      if (this.#waiting.length > 0 && this.#mayBegin(this.#writing)) void this.#write();
      await this.#writeBatch(batch);
      this.#storing -= 1;
    }
    this.#writing -= 1;
  }

  async #writeBatch(batch: readonly QueuedRow<Row, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#store(batch.map(({ row }) => row));
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]!);
      });
    } catch (error) {
      if (batch.length === 1 || toUnavailableError(error)) for (const { reject } of batch) reject(error);
      else await this.#writeHalves(batch);
    }
  }

  /** A row that cannot be stored must not fail the others. */
  async #writeHalves(batch: readonly QueuedRow<Row, Outcome>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#writeBatch(batch.slice(0, middle));
    await this.#writeBatch(batch.slice(middle));
  }
}
