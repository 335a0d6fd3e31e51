import type { FromWorker } from "./messages.ts";
import type { Progress } from "./progress.ts";
import { percentilesOf, type Second } from "./result.ts";
import { Sum } from "./tally.ts";

type Tick = Extract<FromWorker, { kind: "tick" }>;

/** The seconds of a run, of all workers together. */
export class Timeline {
  readonly seconds: Second[] = [];
  readonly #workers: number;
  readonly #progress: Progress;
  /** Seconds of which not all workers have told yet. */
  readonly #open = new Map<number, { ticks: number; inFlight: number; sum: Sum }>();
  readonly #errors = new Map<string, number>();

  constructor(workers: number, progress: Progress) {
    this.#workers = workers;
    this.#progress = progress;
  }

  add({ second, counted, inFlight }: Tick): void {
    const open = this.#open.get(second) ?? { ticks: 0, inFlight: 0, sum: new Sum() };
    this.#open.set(second, open);
    open.ticks += 1;
    open.inFlight += inFlight;
    open.sum.add(counted);
    if (open.ticks === this.#workers) this.#complete(second);
  }

  /** Takes what only some workers have told: the others were done. */
  end(): void {
    for (const second of [...this.#open.keys()]) this.#complete(second);
    this.#progress.end();
  }

  #complete(second: number): void {
    const { sum, inFlight } = this.#open.get(second)!;
    this.#open.delete(second);
    const codes = sum.codes();
    for (const [code, count] of codes) this.#errors.set(code, (this.#errors.get(code) ?? 0) + count);
    const operations = [...sum.latencies].map(([name, latencies]) => {
      const { p50, p99, max } = percentilesOf(latencies);
      return [name, { count: latencies.totalCount, p50, p99, max }] as const;
    });
    this.seconds.push({
      at: second + 1,
      operations: Object.fromEntries(operations),
      errors: Object.fromEntries(codes),
      inFlight,
    });
    this.#progress.show({ at: second + 1, inFlight, sum, errors: this.#errors });
  }
}
