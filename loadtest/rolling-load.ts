import { setTimeout as pause } from "node:timers/promises";
import type { Hubbub } from "#shared/client/client.ts";
import { mapConcurrently } from "./game-tables.ts";
import { Crew } from "./tool/crew.ts";
import { Hall } from "./tool/hall.ts";
import { registerPeople } from "./tool/people.ts";
import { dueSeconds } from "./tool/schedule.ts";
import { openRooms, stageClient } from "./tool/stage.ts";
import { Sum, Tally } from "./tool/tally.ts";
import { now } from "./tool/times.ts";

/** Calls for each message. */
const callsPerMessage = 5;
const longestSeconds = 24 * 3600;
/** Failed calls that are described. */
const failuresMax = 20;

/** The rate of calls and messages doesn't depend on the answers. */
interface Acts {
  readonly rate: number;
  readonly act: (dueMs: number, count: number) => Promise<unknown>;
}

/** People who talk, listen, and call while processes restart. Each failed call and each lost message counts. */
export class RollingLoad {
  /** When someone came back after their connection was closed, milliseconds since 1970. */
  readonly reconnections: number[] = [];
  /** When calls failed, and why. */
  readonly #failures: string[] = [];
  readonly #tally = new Tally();
  readonly #sum = new Sum();
  readonly #crew: Crew;
  readonly #callers: readonly Hubbub[];
  readonly #stop = new AbortController();
  #hall: Hall | undefined;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(crew: Crew, tally: Tally, callers: readonly Hubbub[]) {
    this.#crew = crew;
    this.#tally = tally;
    this.#callers = callers;
  }

  /** Registers people, and lets them join a room. `rate`: calls per second. */
  static async begin(url: string, clients: number, rate: number): Promise<RollingLoad> {
    const people = await registerPeople(url, clients);
    const tally = new Tally();
    // An app's client repeats what may be repeated: that is what hides a restart. The callers over REST repeat nothing.
    const options = { url, door: "socket", rooms: 1, seed: 1, worker: 0, workers: 1, timeout: 10_000 } as const;
    const crew = new Crew({ ...options, retries: 3 }, people, tally);
    const load = new RollingLoad(crew, tally, people.slice(0, 8).map(stageClient(url)));
    const stage = { rooms: 1, client: stageClient(url), onEnd: () => {} };
    await crew.connect();
    load.#hall = await Hall.open(crew, await openRooms(stage, people));
    for (const { client } of crew.members)
      client.on("status", (status) => status === "online" && load.reconnections.push(now()));
    load.#work(rate);
    return load;
  }

  /** How many calls failed and messages got lost, with the first of each. */
  async end(): Promise<{ failed: string[]; lost: string[] }> {
    this.#stop.abort();
    await this.#working;
    await this.#hall!.finish([this.#hall!.notes()]);
    return { failed: this.failed(), lost: [...this.#crew.violations] };
  }

  close(): void {
    this.#stop.abort();
    this.#hall?.close();
  }

  failed(): string[] {
    this.#sum.add(this.#tally.second.take());
    const counts = [...this.#sum.errors].flatMap(([operation, codes]) =>
      [...codes].map(([code, count]) => `${operation} failed ${count} times: ${code}`),
    );
    return [...counts, ...this.#failures];
  }

  summary(): string {
    this.failed();
    const figures = [...this.#sum.latencies].map(
      ([operation, latencies]) =>
        `${operation} ${latencies.totalCount} (p99 ${(latencies.getValueAtPercentile(99) / 1000).toFixed(0)} ms)`,
    );
    return figures.join(", ");
  }

  #work(rate: number): void {
    const room = this.#hall!.talkers[0]!.room.id;
    const reads: readonly ((client: Hubbub) => Promise<unknown>)[] = [
      (client) => client.wallet.get(),
      (client) => client.rooms.get(room),
    ];
    const call = async (dueMs: number, count: number) => {
      const client = this.#callers[count % this.#callers.length]!;
      const { error } = await this.#crew.measure("call", dueMs, () => reads[count % reads.length]!(client));
      if (error && this.#failures.length < failuresMax)
        this.#failures.push(`a call that was due at ${new Date(dueMs).toISOString()} failed: ${error.message}`);
    };
    const say = (dueMs: number, number: number) => this.#hall!.say({ number, dueMs });
    const acts: Acts[] = [
      { rate: rate / callsPerMessage, act: say },
      { rate, act: call },
    ];
    this.#working = mapConcurrently(acts, acts.length, (each) => this.#follow(each));
  }

  async #follow({ rate, act }: Acts): Promise<void> {
    const { signal } = this.#stop;
    const startMs = now();
    const flying = new Set<Promise<unknown>>();
    let count = 0;
    for (const seconds of dueSeconds({ rate, ramp: 0, seconds: longestSeconds })) {
      const dueMs = startMs + seconds * 1000;
      await pause(Math.max(0, dueMs - now()), undefined, { signal }).catch(() => {});
      if (signal.aborted) break;
      const acting = act(dueMs, count++);
      flying.add(acting);
      void acting.finally(() => flying.delete(acting));
    }
    await Promise.all(flying);
  }
}
