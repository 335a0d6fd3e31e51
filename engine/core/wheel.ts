/** The longest interval that Node.js knows, 25 days, milliseconds. */
export const neverMs = 2 ** 31 - 1;

/** What the wheel turns. */
export interface Turned {
  /** Carries out what is due. Called once a second; never throws. */
  tick(): void;
  /** Sends native clients what has changed. */
  broadcastPatch(): boolean;
}

const turnMs = 100;
const turnsPerRound = 10;

/**
 * The one timer of all actors of this process. Each actor has a turn once a second; the turns are spread over the second.
 * Actors that have native clients send patches ten times a second.
 */
class Wheel {
  readonly #slots = Array.from({ length: turnsPerRound }, () => new Set<Turned>());
  readonly #patching = new Set<Turned>();
  readonly #slotOf = new Map<Turned, Set<Turned>>();
  #added = 0;
  #turns = 0;
  #timer: NodeJS.Timeout | undefined;

  add(actor: Turned): void {
    const slot = this.#slots[this.#added % turnsPerRound]!;
    this.#added += 1;
    this.#slotOf.set(actor, slot.add(actor));
    this.#timer ??= setInterval(() => this.#turn(), turnMs);
  }

  /** The actor has a state that native clients see. */
  addPatches(actor: Turned): void {
    if (this.#slotOf.has(actor)) this.#patching.add(actor);
  }

  remove(actor: Turned): void {
    this.#slotOf.get(actor)?.delete(actor);
    this.#slotOf.delete(actor);
    this.#patching.delete(actor);
    if (this.#slotOf.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#turns += 1;
    for (const actor of this.#patching) actor.broadcastPatch();
    for (const actor of this.#slots[this.#turns % turnsPerRound]!) actor.tick();
  }
}

export const wheel = new Wheel();
