interface Waiting<Row, Outcome> {
  readonly row: Row;
  readonly resolve: (outcome: Outcome) => void;
  readonly reject: (error: unknown) => void;
}

/** Rows of one statement, and rows that may wait for theirs. */
const batchMax = 200;
const waitingMax = 5000;

/**
 * Group commit: one statement is under way at a time, and what arrives meanwhile goes with the next. So a lone row waits
 * for nothing, and a busy service stores hundreds of rows for the price of one commit. Order is kept.
 */
export class GroupCommit<Row, Outcome> {
  readonly #store: (rows: readonly Row[]) => Promise<readonly Outcome[]>;
  #waiting: Waiting<Row, Outcome>[] = [];
  #writing = false;

  /** `store` writes rows by one statement and answers an outcome for each, in their order. */
  constructor(store: (rows: readonly Row[]) => Promise<readonly Outcome[]>) {
    this.#store = store;
  }

  /** Whether so much waits that nothing should be added. */
  get full(): boolean {
    return this.#waiting.length >= waitingMax;
  }

  /** Resolves when the row has its outcome, and is durable if that says so. */
  add(row: Row): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ row, resolve, reject });
      if (!this.#writing) void this.#write();
    });
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
      // One row that cannot be stored must not take the others with it.
      if (batch.length === 1) batch[0]!.reject(error);
      else await Promise.all(batch.map((one) => this.#writeBatch([one])));
    }
  }
}
