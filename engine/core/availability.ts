/** Something that comes and goes, such as a connection. */
export class Availability {
  #there = false;
  #came = Promise.withResolvers<void>();

  get isThere(): boolean {
    return this.#there;
  }

  come(): void {
    this.#there = true;
    this.#came.resolve();
  }

  go(): void {
    if (this.#there) this.#came = Promise.withResolvers();
    this.#there = false;
  }

  /** Resolves when it is there; at once if it is. */
  wait(): Promise<void> {
    return this.#came.promise;
  }
}
