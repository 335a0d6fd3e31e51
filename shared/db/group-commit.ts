type Waiting<Row, Outcome> = { readonly row: Row } & PromiseWithResolvers<Outcome>;

/** The maximum number of rows in one statement, and of rows that wait. */
const batchMax = 200;
const waitingMax = 5000;

/**
 * Group commit: one statement runs at a time, and rows that arrive meanwhile go with the next. A lone row doesn't wait,
 * and a busy service stores hundreds of rows for the price of one commit. Keeps the order.
 */
export class GroupCommit<Row, Outcome> {
  readonly #store: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
  #waiting: Waiting<Row, Outcome>[] = [];
  #writing = false;

  /** `store` writes rows in one statement and returns an outcome for each, in order. */
  constructor(store: (rows: readonly Row[]) => Promise<readonly Outcome[]>) {
    this.#store = store;
  }

  /** Whether too many rows wait to add another. */
  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  /** Resolves to the row's outcome; the row is durable if the outcome says so. */
  add(row: Row): Promise<Outcome> {
    const waiting = { row, ...Promise.withResolvers<Outcome>() };
    this.#waiting.push(waiting);
    if (!this.#writing) void this.#write();
    return waiting.promise;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) await this.#writeBatch(this.#waiting.splice(0, batchMax));
    this.#writing = false;
  }

  async #writeBatch(batch: readonly Waiting<Row, Outcome>[]): Promise<void> {
    try {
      const outcomes = await this.#store(batch.map(({ row }) => row));
      batch.forEach(({ resolve }, index) => {
        resolve(outcomes[index]!);
      });
    } catch (error) {
      // A row that cannot be stored must not fail the others.
      if (batch.length === 1) batch[0]!.reject(error);
      else await Promise.all(batch.map((one) => this.#writeBatch([one])));
    }
  }
}
