/** Stops a part. `step` says what is being stopped now, if it consists of several. */
type Stop = (step: (name: string) => void) => unknown;

/** The running parts of a process, which are stopped in reverse order of their start. */
export class Parts {
  readonly #stack = new AsyncDisposableStack();
  #stopping: string | undefined;

  /** What is being stopped; undefined before the first. */
  get stopping(): string | undefined {
    return this.#stopping;
  }

  /** Registers a part that has started. `name` is shown if its stop takes too long. */
  defer(name: string, stop: Stop): void {
    const step = (next: string) => {
      this.#stopping = next;
    };
    this.#stack.defer(async () => {
      step(name);
      await stop(step);
    });
  }

  /** Stops all parts, also after one has failed. @throws the errors of those that failed */
  stop(): Promise<void> {
    return this.#stack.disposeAsync();
  }
}
