import { toUnavailableError } from "./unavailable.ts";

type Waiting<Row, Outcome> = { readonly row: Row } & PromiseWithResolvers<Outcome>;

/** The maximum number of rows in one batch, and of rows that wait. */
const batchMax = 200;
const waitingMax = 5000;

/**
 * Group commit: rows that arrive while batches are being stored go together in the next one. A lone row doesn't wait, and a
 * busy service stores hundreds of rows for the price of one commit. One batch at a time keeps the order.
 */
export class GroupCommit<Row, Outcome> {
  readonly #store: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
  readonly #atOnce: number;
  #waiting: Waiting<Row, Outcome>[] = [];
  #writing = 0;

  /** `store` writes rows in one transaction and returns an outcome for each, in order. `atOnce`: batches stored side by side. */
  constructor(store: (rows: readonly Row[]) => Promise<readonly Outcome[]>, { atOnce = 1 } = {}) {
    this.#store = store;
    this.#atOnce = atOnce;
  }

  /** Whether too many rows wait to add another. */
  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  /** Resolves to the row's outcome; the row is durable if the outcome says so. */
  add(row: Row): Promise<Outcome> {
    const waiting = { row, ...Promise.withResolvers<Outcome>() };
    this.#waiting.push(waiting);
    if (this.#writing < this.#atOnce) void this.#write();
    return waiting.promise;
  }

  async #write(): Promise<void> {
    this.#writing += 1;
    for (;;) {
      // What arrives in the same turn of the event loop goes along.
      await new Promise(setImmediate);
      const batch = this.#waiting.splice(0, batchMax);
      if (batch.length === 0) break;
      await this.#writeBatch(batch);
    }
    this.#writing -= 1;
  }

  async #writeBatch(batch: readonly Waiting<Row, Outcome>[]): Promise<void> {
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
  async #writeHalves(batch: readonly Waiting<Row, Outcome>[]): Promise<void> {
    const middle = Math.ceil(batch.length / 2);
    await this.#writeBatch(batch.slice(0, middle));
    await this.#writeBatch(batch.slice(middle));
  }
}
