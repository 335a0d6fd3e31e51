/** What the service says about itself at one moment. */
export interface ServerSample {
  /** Seconds since the start of the load. */
  readonly at: number;
  /** Cores. */
  readonly cpu: number;
  /** Share of the time that the main thread is busy. */
  readonly busy: number;
  readonly memoryMb: number;
  readonly connections: number;
  readonly actors: number;
  /** Callers that wait for a connection of the database pool. */
  readonly poolWaiting: number;
  /** Mean time that actions wait for their actor, milliseconds. */
  readonly mailboxMs: number;
}

export type ServerFigure = Exclude<keyof ServerSample, "at">;

/** Adds up all series of a metric; with `label`, of those that have it. */
function sumOf(text: string, name: string, label = ""): number {
  let sum = 0;
  for (const [, labels = "", value] of text.matchAll(new RegExp(`^${name}(\\{[^}]*\\})? (\\S+)$`, "gm")))
    if (labels.includes(label)) sum += Number(value);
  return sum;
}

interface Reading {
  readonly ms: number;
  readonly text: string;
}

/** Reads `/metrics` of a service, as long as it answers. */
export class ServerFigures {
  readonly samples: ServerSample[] = [];
  readonly #url: string;
  #last: Reading | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Adds a sample. Returns whether the service has metrics here. */
  async sample(startMs: number): Promise<boolean> {
    const reading = await this.#read();
    const before = this.#last;
    if (!reading) return false;
    this.#last = reading;
    if (!before) return true;
    const seconds = (reading.ms - before.ms) / 1000;
    const grown = (name: string) => Math.max(0, sumOf(reading.text, name) - sumOf(before.text, name));
    const waits = grown("hubbub_actor_mailbox_wait_seconds_count");
    this.samples.push({
      at: (reading.ms - startMs) / 1000,
      cpu: grown("process_cpu_seconds_total") / seconds,
      busy: grown("hubbub_event_loop_busy_seconds_total") / seconds,
      memoryMb: sumOf(reading.text, "process_resident_memory_bytes") / 2 ** 20,
      connections: sumOf(reading.text, "hubbub_connections"),
      actors: sumOf(reading.text, "hubbub_actors"),
      poolWaiting: sumOf(reading.text, "hubbub_db_pool_connections", 'state="waiting"'),
      mailboxMs: waits === 0 ? 0 : (grown("hubbub_actor_mailbox_wait_seconds_sum") * 1000) / waits,
    });
    return true;
  }

  async #read(): Promise<Reading | undefined> {
    const response = await fetch(this.#url, { signal: AbortSignal.timeout(5000) }).catch(() => undefined);
    if (!response?.ok) return undefined;
    const text = await response.text().catch(() => "");
    return { ms: performance.timeOrigin + performance.now(), text };
  }
}
