import { createHash, createHmac } from "node:crypto";
import { expect } from "chai";
import { rollDie, shuffle } from "#shared/extension/game.ts";
import { hashSeed, newSeed, SeededRandom } from "./random.ts";

describe("seeded random", () => {
  it("draws the same numbers from the same seed, and tells what it drew", () => {
    const seed = newSeed();
    const [first, second] = [new SeededRandom(seed), new SeededRandom(seed)];
    const rolls = Array.from({ length: 50 }, () => rollDie(first));
    expect(Array.from({ length: 50 }, () => rollDie(second))).to.deep.equal(rolls);
    expect(first.draws[7]).to.deep.equal(["die of 6", rolls[7]! - 1]);
    const resumed = new SeededRandom(seed, first.draws);
    expect(rollDie(resumed)).to.equal(rollDie(first));
    expect(hashSeed(seed)).to.equal(createHash("sha256").update(seed).digest("hex"));
  });

  it("is what its description says, recomputed by other code", () => {
    const seed = "00".repeat(32);
    const random = new SeededRandom(seed);
    for (let index = 0; index < 100; index += 1) {
      const block = createHmac("sha256", seed).update(`${index}:0`).digest().readUInt32BE();
      // 4294967292 is the largest multiple of 6 below 2^32; a block above it has a chance of one in a thousand
      // millions.
      expect(block).to.be.lessThan(4294967292);
      expect(random.below(6, "die")).to.equal(block % 6);
    }
  });

  it("makes no face of the die likelier", () => {
    const rolls = 60_000;
    const counts = [0, 0, 0, 0, 0, 0];
    // One game has at most 10,000 draws.
    for (const seed of ["11", "12", "13", "14", "15", "16"]) {
      const random = new SeededRandom(seed.repeat(32));
      for (let roll = 0; roll < rolls / 6; roll += 1) counts[rollDie(random) - 1]! += 1;
    }
    const chiSquared = counts.reduce((sum, count) => sum + (count - rolls / 6) ** 2 / (rolls / 6), 0);
    // Five degrees of freedom: above 20.5 in one fair die of a thousand. The seeds are fixed, so this never flickers.
    expect(chiSquared).to.be.lessThan(20.5);
  });

  it("shuffles without losing or doubling anything", () => {
    const cards = Array.from({ length: 24 }, (_, index) => index);
    const shuffled = shuffle(cards, new SeededRandom(newSeed()));
    expect(shuffled.toSorted((a, b) => a - b)).to.deep.equal(cards);
  });
});
