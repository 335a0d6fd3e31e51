import { say } from "../report.ts";
import type { Sum } from "./tally.ts";

/** What is shown of the last second. */
export interface Moment {
  readonly at: number;
  readonly inFlight: number;
  readonly sum: Sum;
  /** Errors by code, since the start. */
  readonly errors: ReadonlyMap<string, number>;
}

/** Without a terminal, a line so often. */
const lineEverySeconds = 5;

const barSize = 20;

/** Shows how far a run is: a bar on a terminal, and lines elsewhere. */
export class Progress {
  readonly #seconds: number;
  #isOpen = false;

  constructor(seconds: number) {
    this.#seconds = Math.ceil(seconds);
  }

  show(moment: Moment): void {
    const figures = figuresOf(moment);
    if (process.stdout.isTTY) this.#draw(moment.at, figures);
    const isDue = moment.at === 1 || moment.at % lineEverySeconds === 0 || moment.at >= this.#seconds;
    if (!process.stdout.isTTY && isDue) say(`${moment.at} s  ${figures}`);
  }

  /** Leaves the last figures on the terminal. */
  end(): void {
    if (this.#isOpen) say("");
    this.#isOpen = false;
  }

  #draw(at: number, figures: string): void {
    this.#isOpen = true;
    const done = Math.min(barSize, Math.round((at / this.#seconds) * barSize));
    const line = `${"█".repeat(done)}${"░".repeat(barSize - done)} ${at}/${this.#seconds} s  ${figures}`;
    // Cut off at the edge of the terminal: a line that wraps can't be written over.
    process.stdout.write(`\r\x1b[K${line.slice(0, process.stdout.columns - 1)}`);
  }
}

function figuresOf({ inFlight, sum, errors }: Moment): string {
  const all = sum.all();
  const at = (percentile: number) => (all.totalCount === 0 ? 0 : all.getValueAtPercentile(percentile) / 1000);
  const codes = [...errors].map(([code, count]) => `${code} ${count}`).join(", ");
  const times = `p50 ${at(50).toFixed(1)} ms  p99 ${at(99).toFixed(1)} ms`;
  return `${all.totalCount}/s  ${times}  ${inFlight} in flight${codes && `  errors: ${codes}`}`;
}
