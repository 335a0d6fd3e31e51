type Listener = (...values: never[]) => void;

/**
 * Listeners by name. An error in a listener is reported as an uncaught one, and stops neither the others nor the
 * client.
 */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<Listener>>();

  /** Adds a listener. Returns a function that removes it. */
  readonly on = <Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): (() => void) => {
    const known = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, known.add(listener));
    return () => void known.delete(listener);
  };

  emit<Name extends keyof Events>(name: Name, value: Events[Name]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) {
      try {
        (listener as (value: Events[Name]) => void)(value);
      } catch (error) {
        void Promise.reject(error);
      }
    }
  }
}
