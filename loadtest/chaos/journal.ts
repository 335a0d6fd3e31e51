import { setTimeout as pause } from "node:timers/promises";

/** What the service said to a call. */
export type Outcome =
  | { readonly kind: "done"; readonly data: unknown }
  | { readonly kind: "refused"; readonly code: string }
  /** No response, or one that says that the outcome isn't known. */
  | { readonly kind: "unknown"; readonly code: string };

/** Codes that say nothing about whether the call took effect. */
const unclear = new Set(["ENGINE_UNAVAILABLE", "INTERNAL_ERROR", "RATE_LIMITED", "MAINTENANCE"]);

const repeatEveryMs = 50;

interface Envelope {
  readonly success: boolean;
  readonly data?: unknown;
  readonly error?: { readonly code: string };
}

export function outcomeOf({ success, data, error }: Envelope): Outcome {
  if (success) return { kind: "done", data };
  const code = error?.code ?? "no code";
  return { kind: unclear.has(code) ? "unknown" : "refused", code };
}

/** A kind of row that calls write, each once. */
export interface RowKind {
  readonly name: string;
  /** Returns the IDs of all rows that the calls have written. */
  readonly sql: string;
}

/** A call that writes one row, under a key of its own. It may be repeated. */
export interface Entry {
  readonly kind: RowKind;
  readonly key: string;
  /** Whose calls are made one after the other. */
  readonly by: string;
  readonly send: () => Promise<Outcome>;
  /** The row in the response; undefined while the outcome isn't known. */
  id?: string;
  refused?: string;
  /** The code of the last answer that left the outcome open. */
  unclear?: string;
  repeats: number;
}

/** What clients asked for and what was acknowledged. */
export class Journal {
  readonly entries: Entry[] = [];
  readonly codes = new Map<string, number>();

  count(code: string): void {
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
  }

  /** Makes a call and records what is known of it. `idOf` finds the row's ID in the response. */
  async write(call: Pick<Entry, "kind" | "key" | "by">, send: Entry["send"]): Promise<Entry> {
    const entry: Entry = { ...call, send, repeats: 0 };
    this.entries.push(entry);
    await this.#send(entry);
    return entry;
  }

  async #send(entry: Entry): Promise<void> {
    const outcome = await entry.send();
    this.count(outcome.kind === "done" ? "ok" : outcome.code);
    if (outcome.kind === "done") entry.id = String((outcome.data as { id: string | number }).id);
    if (outcome.kind === "refused") entry.refused = outcome.code;
    if (outcome.kind === "unknown") entry.unclear = outcome.code;
  }

  get acknowledged(): number {
    return this.entries.filter(({ id }) => id !== undefined).length;
  }

  /** Repeats the calls without a known outcome, until all are known or the time is over. Returns those that aren't. */
  async settle(withinMs: number): Promise<Entry[]> {
    const deadline = performance.now() + withinMs;
    const isOpen = ({ id, refused }: Entry) => id === undefined && refused === undefined;
    let open = this.entries.filter(isOpen);
    while (open.length > 0 && performance.now() < deadline) {
      await pause(repeatEveryMs);
      for (const entry of open) {
        if (performance.now() > deadline) break;
        entry.repeats += 1;
        await this.#send(entry);
      }
      open = open.filter(isOpen);
    }
    return open;
  }
}

/** A value that one party sets, again and again, such as whether they follow a user. */
export class Register<T extends string | number | boolean> {
  /** What it was set to last, as far as that is acknowledged. */
  #last: T;
  /** What was sent without a known outcome: it may take effect later, even after what was acknowledged since. */
  readonly #unsure = new Set<T>();

  constructor(value: T) {
    this.#last = value;
  }

  /** Returns the value, if it is known. */
  get known(): T | undefined {
    return [...this.#unsure].every((value) => value === this.#last) ? this.#last : undefined;
  }

  allows(value: T): boolean {
    return this.#last === value || this.#unsure.has(value);
  }

  get text(): string {
    return [...new Set([this.#last, ...this.#unsure])].join(" or ");
  }

  /** Sets the value with a call. */
  async set(value: T, send: () => Promise<Outcome>): Promise<void> {
    const { kind } = await send();
    if (kind === "done") this.#last = value;
    if (kind === "unknown") this.#unsure.add(value);
  }

  mayBe(value: T): void {
    this.#unsure.add(value);
  }

  /** Takes the value from the database, when no call is under way any more. */
  settle(value: T): void {
    this.#last = value;
    this.#unsure.clear();
  }
}
