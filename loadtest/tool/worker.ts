import { setTimeout as pause } from "node:timers/promises";
import { isHubbubError } from "#shared/client/client.ts";
import { loadNamedExtensions } from "#shared/testing/load-plays.ts";
import { scenarios } from "../scenarios/scenarios.ts";
import { Crew } from "./crew.ts";
import type { FromWorker, Task, ToWorker } from "./messages.ts";
import type { Play } from "./scenario.ts";
import { dueSeconds } from "./schedule.ts";
import { Tally } from "./tally.ts";
import { now } from "./times.ts";

/** A process that plays some of the people. */

/** More calls that wait for their answers aren't made: they count as NOT_SENT. */
const inFlightMax = 10_000;

/** Resolves when it was sent, and rejects if the main process has gone. */
const send = (message: FromWorker): Promise<void> =>
  new Promise((resolve, reject) => {
    process.send!(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });

class Worker {
  readonly #task: Task;
  readonly #tally = new Tally();
  readonly #crew: Crew;
  readonly #flying = new Set<Promise<unknown>>();
  readonly #stop = new AbortController();
  #play: Play | undefined;
  #begun = 0;
  #lateMs = 0;

  constructor(task: Task) {
    this.#task = task;
    this.#crew = new Crew(task.crew, task.people, this.#tally);
  }

  async prepare(): Promise<void> {
    await loadNamedExtensions();
    this.#play = await scenarios()[this.#task.scenario]!.open(this.#crew, this.#task.scene as never);
    await send({ kind: "ready" });
  }

  stop(): void {
    this.#stop.abort();
  }

  /** Does what is due, and tells each second what it has counted. */
  async load(startMs: number): Promise<void> {
    this.#tally.begin(startMs + this.#task.profile.ramp * 1000);
    let second = 0;
    const tick = () =>
      send({ kind: "tick", second: second++, counted: this.#tally.second.take(), inFlight: this.#flying.size });
    await pause(Math.max(0, startMs - now()));
    const timer = setInterval(() => void tick().catch(fail), 1000);
    await this.#followSchedule(startMs).catch((error: unknown) => this.#stop.signal.aborted || fail(error));
    await Promise.all(this.#flying);
    clearInterval(timer);
    await tick();
    const notes = (await this.#play!.notes?.()) ?? null;
    await send({ kind: "acted", notes, begun: this.#begun, lateMs: this.#lateMs });
  }

  async finish(notes: readonly unknown[]): Promise<void> {
    const evidence = (await this.#play!.finish?.(notes as never[])) ?? null;
    // Taken first: that their people leave now is no violation.
    const done = {
      kind: "done",
      evidence,
      violations: [...this.#crew.violations],
      total: this.#tally.total.take(),
    } as const;
    this.#play!.close();
    await send(done);
  }

  async #followSchedule(startMs: number): Promise<void> {
    const { profile, crew } = this.#task;
    const { signal } = this.#stop;
    let number = -1;
    for (const seconds of dueSeconds(profile)) {
      number += 1;
      if (number % crew.workers !== crew.worker) continue;
      const dueMs = startMs + seconds * 1000;
      // A timer has whole milliseconds. What is early by less counts from when it began.
      const early = Math.floor(dueMs - now());
      if (early > 0) await pause(early, undefined, { signal });
      if (signal.aborted) return;
      this.#begin(number, Math.min(dueMs, now()), seconds >= profile.ramp);
      // Answers have their turn, also when the worker is late.
      if (number % 100 === crew.worker) await pause(0);
    }
  }

  #begin(number: number, dueMs: number, isCounted: boolean): void {
    if (this.#flying.size >= inFlightMax) {
      this.#tally.failed("schedule", dueMs, "NOT_SENT");
      return;
    }
    if (isCounted) {
      this.#begun += 1;
      this.#lateMs = Math.max(this.#lateMs, now() - dueMs);
    }
    const acting = Promise.resolve(this.#play!.act({ number, dueMs })).catch(fail);
    this.#flying.add(acting);
    void acting.finally(() => this.#flying.delete(acting));
  }
}

function fail(error: unknown): void {
  const message = isHubbubError(error) ? `${error.code}: ${error.message}` : String((error as Error)?.stack ?? error);
  process.send?.({ kind: "failed", message } satisfies FromWorker, () => process.exit(1));
}

let worker: Worker | undefined;
process.on("message", (message: ToWorker) => {
  if (message.kind === "prepare") {
    worker = new Worker(message.task);
    worker.prepare().catch(fail);
  } else if (message.kind === "go") worker!.load(message.startMs).catch(fail);
  else if (message.kind === "stop") worker!.stop();
  else worker!.finish(message.notes).catch(fail);
});
// Ctrl-C reaches all processes of a terminal. The main process decides.
process.on("SIGINT", () => {});
process.on("disconnect", () => process.exit());
process.on("unhandledRejection", fail);
