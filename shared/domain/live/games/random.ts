import type { Draws } from "#shared/extension/perform-rules.ts";
import { assert } from "#shared/kernel/assert.ts";
import { blockRange, drawOf } from "#shared/kernel/draw.ts";

export { drawOf, hashSeed, newSeed } from "#shared/kernel/draw.ts";

/**
 * One number drawn, and its purpose with the number of possibilities, such as `die of 6`. Its index is its position
 * among the draws of its game. A pair, since hundreds of them are stored with every action.
 */
export type Draw = readonly [purpose: string, value: number];

/** They are stored with every action. */
const drawsMax = 10_000;

/**
 * Draws the numbers of one game, which its seed determines before the first move, so that everyone can reproduce them
 * afterwards: see `drawOf`.
 */
export class SeededRandom implements Draws {
  /** Secret until the game is over. */
  readonly seed: string;
  readonly #draws: Draw[];

  /** `draws`: those made before, by an earlier actor of the same game. */
  constructor(seed: string, draws: readonly Draw[] = []) {
    this.seed = seed;
    this.#draws = [...draws];
  }

  get draws(): readonly Draw[] {
    return this.#draws;
  }

  add(draws: readonly Draw[]): void {
    this.#draws.push(...draws);
  }

  below(below: number, purpose: string): number {
    assert(Number.isInteger(below) && below >= 1 && below <= blockRange, "a draw has 1 to 2^32 outcomes");
    assert(this.#draws.length < drawsMax && purpose.length <= 60, "a game draws 10,000 numbers, for short purposes");
    const index = this.#draws.length;
    const value = drawOf(this.seed, index, below);
    this.#draws.push([`${purpose} of ${below}`, value]);
    return value;
  }
}
