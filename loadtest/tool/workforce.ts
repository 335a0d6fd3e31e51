import { type ChildProcess, fork } from "node:child_process";
import type { FromWorker, Pace, Task, ToWorker } from "./messages.ts";
import type { Counted } from "./tally.ts";

type Kind = FromWorker["kind"];
type Of<K extends Kind> = Extract<FromWorker, { kind: K }>;

/** The worker processes of a run. */
export class Workforce {
  readonly #children: readonly ChildProcess[];
  /** Rejects when a worker fails. */
  readonly #failed = Promise.withResolvers<never>();
  #ended = false;

  constructor(count: number, onTick: (tick: Of<"tick">) => void) {
    const file = new URL("worker.ts", import.meta.url).pathname;
    this.#children = Array.from({ length: count }, () => fork(file, { stdio: "inherit" }));
    this.#failed.promise.catch(() => {}); // Without a listener, it would end the process.
    for (const child of this.#children) {
      child.setMaxListeners(20);
      child.on("message", (message: FromWorker) => {
        if (message.kind === "tick") onTick(message);
        if (message.kind === "failed") this.#failed.reject(new Error(message.message));
      });
      child.once("exit", (code, signal) => {
        if (!this.#ended) this.#failed.reject(new Error(`A worker has ended with ${signal ?? code}.`));
      });
    }
  }

  async prepare(taskOf: (worker: number) => Task): Promise<void> {
    await this.#ask("ready", (worker) => ({ kind: "prepare", task: taskOf(worker) }));
  }

  /** Lets them follow the schedule. Returns what was acknowledged to each, and how they kept to it together. */
  async load(startMs: number): Promise<{ notes: unknown[] } & Pace> {
    const acted = await this.#ask("acted", () => ({ kind: "go", startMs }));
    return {
      notes: acted.map(({ notes }) => notes),
      begun: acted.reduce((sum, { begun }) => sum + begun, 0),
      lateMs: Math.max(...acted.map(({ lateMs }) => lateMs)),
    };
  }

  /** Ends the schedule early. */
  stop(): void {
    for (const child of this.#children) child.send({ kind: "stop" } satisfies ToWorker);
  }

  async finish(notes: readonly unknown[]): Promise<{ evidence: unknown[]; violations: string[]; totals: Counted[] }> {
    const done = await this.#ask("done", () => ({ kind: "finish", notes }));
    return {
      evidence: done.map(({ evidence }) => evidence),
      violations: done.flatMap(({ violations }) => violations),
      totals: done.map(({ total }) => total),
    };
  }

  close(): void {
    this.#ended = true;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  /** Sends each a message, and waits for all answers. */
  async #ask<K extends Kind>(kind: K, messageTo: (worker: number) => ToWorker): Promise<Of<K>[]> {
    const answers = this.#children.map(
      (child, index) =>
        new Promise<Of<K>>((resolve) => {
          const listener = (message: FromWorker) => {
            if (message.kind !== kind) return;
            child.off("message", listener);
            resolve(message as Of<K>);
          };
          child.on("message", listener);
          child.send(messageTo(index));
        }),
    );
    return Promise.race([Promise.all(answers), this.#failed.promise]);
  }
}
