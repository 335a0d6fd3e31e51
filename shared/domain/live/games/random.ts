import { assert } from "#shared/kernel/assert.ts";
import { blockRange, drawOf } from "#shared/kernel/draw.ts";

export { drawOf, hashSeed, newSeed } from "#shared/kernel/draw.ts";

/**
 * One number drawn, and its purpose with the number of possibilities, such as `die of 6`. Its index is its position
 * among the draws of its game. A pair, since hundreds of them are stored with every action.
 */
export type Draw = readonly [purpose: string, value: number];

/** The source of a game's random numbers. */
export interface Random {
  /**
   * Draws a whole number from 0 to `below` - 1, all equally likely. `purpose` is for the proof, which also includes
   * `below`.
   */
  below(below: number, purpose: string): number;
}

/**
 * Draws the numbers of one game, which its seed determines before the first move, so that everyone can reproduce them
 * afterwards: see `drawOf`.
 */
export class SeededRandom implements Random {
  readonly #seed: string;
  readonly #draws: Draw[];

  /** `draws`: those made before, by an earlier actor of the same game. */
  constructor(seed: string, draws: readonly Draw[] = []) {
    this.#seed = seed;
    this.#draws = [...draws];
  }

  get draws(): readonly Draw[] {
    return this.#draws;
  }

  below(below: number, purpose: string): number {
    assert(Number.isInteger(below) && below >= 1 && below <= blockRange, "a draw has 1 to 2^32 outcomes");
    const index = this.#draws.length;
    const value = drawOf(this.#seed, index, below);
    this.#draws.push([`${purpose} of ${below}`, value]);
    return value;
  }
}

/** Rolls a die: 1 to 6. */
export const rollDie = (random: Random): number => random.below(6, "die") + 1;

/** Returns the items in a random order (Fisher and Yates, from the end), with one draw for each but the first. */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1, "shuffle");
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}
