import * as hdr from "hdr-histogram-js";

/** Latencies of one operation, microseconds. */
export type Latencies = hdr.Histogram;

const longestUs = 600_000_000;

export const newLatencies = (): Latencies =>
  hdr.build({ lowestDiscernibleValue: 1, highestTrackableValue: longestUs, numberOfSignificantValueDigits: 3 });

export const packed = (latencies: Latencies): string => hdr.encodeIntoCompressedBase64(latencies);
export const unpacked = (text: string): Latencies => hdr.decodeFromCompressedBase64(text);

/** Counts by operation, and how often it failed with each code. */
export interface Counted {
  /** Histograms of what succeeded, packed. */
  readonly latencies: Readonly<Record<string, string>>;
  readonly errors: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** Counts until it is taken. */
class Sheet {
  #latencies = new Map<string, Latencies>();
  #errors = new Map<string, Map<string, number>>();

  succeeded(operation: string, ms: number): void {
    let found = this.#latencies.get(operation);
    if (!found) {
      found = newLatencies();
      this.#latencies.set(operation, found);
    }
    found.recordValue(Math.min(longestUs, Math.max(1, Math.round(ms * 1000))));
  }

  failed(operation: string, code: string): void {
    const codes = this.#errors.get(operation) ?? new Map<string, number>();
    this.#errors.set(operation, codes.set(code, (codes.get(code) ?? 0) + 1));
  }

  take(): Counted {
    const used = [...this.#latencies].filter(([, latencies]) => latencies.totalCount > 0);
    const counted = {
      latencies: Object.fromEntries(used.map(([operation, latencies]) => [operation, packed(latencies)])),
      errors: Object.fromEntries([...this.#errors].map(([operation, codes]) => [operation, Object.fromEntries(codes)])),
    };
    for (const [, latencies] of this.#latencies) latencies.reset();
    this.#errors.clear();
    return counted;
  }
}

/** What a worker counts: each second, and in the whole time that the result is about. */
export class Tally {
  readonly second = new Sheet();
  readonly total = new Sheet();
  /** What is due earlier belongs to the ramp, and isn't in the total. */
  #fromMs = 0;

  begin(fromMs: number): void {
    this.#fromMs = fromMs;
  }

  succeeded(operation: string, dueMs: number, ms: number): void {
    this.second.succeeded(operation, ms);
    if (dueMs >= this.#fromMs) this.total.succeeded(operation, ms);
  }

  failed(operation: string, dueMs: number, code: string): void {
    this.second.failed(operation, code);
    if (dueMs >= this.#fromMs) this.total.failed(operation, code);
  }
}

/** Adds up what several workers have counted. */
export class Sum {
  readonly latencies = new Map<string, Latencies>();
  readonly errors = new Map<string, Map<string, number>>();

  add(counted: Counted): void {
    for (const [operation, text] of Object.entries(counted.latencies)) {
      const known = this.latencies.get(operation);
      if (known) known.add(unpacked(text));
      else this.latencies.set(operation, unpacked(text));
    }
    for (const [operation, codes] of Object.entries(counted.errors)) {
      const known = this.errors.get(operation) ?? new Map<string, number>();
      for (const [code, count] of Object.entries(codes)) known.set(code, (known.get(code) ?? 0) + count);
      this.errors.set(operation, known);
    }
  }

  /** All operations together. */
  all(): Latencies {
    const all = newLatencies();
    for (const latencies of this.latencies.values()) all.add(latencies);
    return all;
  }

  /** How often each code came, over all operations; or in one. */
  codes(operation?: string): Map<string, number> {
    const codes = new Map<string, number>();
    for (const [name, each] of this.errors)
      if (operation === undefined || operation === name)
        for (const [code, count] of each) codes.set(code, (codes.get(code) ?? 0) + count);
    return codes;
  }

  failed(operation?: string): number {
    return [...this.codes(operation).values()].reduce((sum, count) => sum + count, 0);
  }
}
