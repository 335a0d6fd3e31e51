import { matchMaker, type Room } from "@colyseus/core";

/** The longest interval that Node.js knows, 25 days, milliseconds. */
export const neverMs = 2 ** 31 - 1;

/** What the wheel turns. */
export interface WheelRoom extends Pick<Room, "roomId" | "disconnect"> {
  /** Carries out what is due. Called once a second; never throws. */
  tick(): void;
  /** Sends native clients what has changed. */
  broadcastPatch(): boolean;
}

const turnMs = 100;
const turnsPerRound = 10;
/** After so many turns, Colyseus has failed to enter an actor in its tables. */
const unlistedMax = 30;

/**
 * The one timer of all actors of this process. Each actor has a turn once a second; the turns are spread over the
 * second. Actors that have native clients send patches ten times a second.
 */
class Wheel {
  readonly #slots = Array.from({ length: turnsPerRound }, () => new Set<WheelRoom>());
  readonly #patching = new Set<WheelRoom>();
  readonly #slotOf = new Map<WheelRoom, Set<WheelRoom>>();
  /** The actors that Colyseus hasn't entered in its tables yet, and how many turns they have missed. */
  readonly #unlisted = new Map<WheelRoom, number>();
  #added = 0;
  #turns = 0;
  #timer: NodeJS.Timeout | undefined;

  add(actor: WheelRoom): void {
    const slot = this.#slots[this.#added % turnsPerRound]!;
    this.#added += 1;
    this.#slotOf.set(actor, slot.add(actor));
    this.#unlisted.set(actor, 0);
    this.#timer ??= setInterval(() => this.#turn(), turnMs);
  }

  /** The actor has a state that native clients see. */
  addPatches(actor: WheelRoom): void {
    if (this.#slotOf.has(actor)) this.#patching.add(actor);
  }

  remove(actor: WheelRoom): void {
    this.#slotOf.get(actor)?.delete(actor);
    this.#slotOf.delete(actor);
    this.#patching.delete(actor);
    this.#unlisted.delete(actor);
    if (this.#slotOf.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #turn(): void {
    this.#turns += 1;
    for (const actor of this.#patching) actor.broadcastPatch();
    for (const actor of this.#slots[this.#turns % turnsPerRound]!) this.turn(actor);
  }

  /**
   * Gives an actor a turn, once Colyseus has entered it in its tables: that takes until Redis answers, and an actor
   * that ended before it would stay in them.
   */
  turn(actor: WheelRoom): void {
    const missed = this.#unlisted.get(actor);
    const isListed = missed === undefined || (matchMaker.getLocalRoomById(actor.roomId) as unknown) === actor;
    if (isListed) {
      this.#unlisted.delete(actor);
      actor.tick();
    } else if (missed < unlistedMax) this.#unlisted.set(actor, missed + 1);
    else void actor.disconnect();
  }
}

export const wheel = new Wheel();
