import { expect } from "chai";
import fc from "fast-check";
import { anyGame, playGame } from "#shared/testing/games/play-game.ts";
import { ladders, lastSquare, snakes, snakesAndLadders, squareAfter } from "./snakes-and-ladders.rules.ts";

const faces = [1, 2, 3, 4, 5, 6];

describe("snakes and ladders", () => {
  it("have tables that make sense: ladders up, snakes down, and none begins where another ends", () => {
    for (const [from, to] of ladders) expect(to).to.be.greaterThan(from);
    for (const [from, to] of snakes) expect(to).to.be.lessThan(from);
    const all = [...ladders, ...snakes];
    const beginnings = all.map(([from]) => from);
    const ends = all.map(([, to]) => to);
    for (const square of [...beginnings, ...ends]) expect(square).to.be.within(2, lastSquare - 1);
    expect(new Set(beginnings).size).to.equal(all.length);
    expect(new Set(ends).size).to.equal(all.length);
    expect(ends.filter((square) => beginnings.includes(square))).to.deep.equal([]);
  });

  it("lead home from every square that one can stand on", () => {
    const canStand = Array.from({ length: lastSquare }, (_, square) => square).filter(
      (square) => !ladders.has(square) && !snakes.has(square),
    );
    let reached = new Set([lastSquare]);
    for (let before = 0; before !== reached.size; ) {
      before = reached.size;
      const further = canStand.filter((square) => faces.some((face) => reached.has(squareAfter(square, face))));
      reached = new Set([...reached, ...further]);
    }
    expect([...reached].sort((a, b) => a - b)).to.deep.equal([...canStand, lastSquare]);
  });

  it("need an exact roll at the end", () => {
    expect(squareAfter(98, 2)).to.equal(100);
    expect(squareAfter(98, 3)).to.equal(98);
    expect(squareAfter(0, 4)).to.equal(14);
    expect(squareAfter(98, 1)).to.equal(78);
  });

  it("move the current player by the roll, in turn", () => {
    const playOne = (toPlay: Parameters<typeof playGame>[1]) => {
      const last = playGame(snakesAndLadders, toPlay, ({ before, after, by }) => {
        const runner = before.runners[before.next]!;
        const { userId, roll, from, to } = after.lastMove!;
        expect([userId, from]).to.deep.equal([runner.userId, runner.square]);
        expect(by?.userId ?? userId).to.equal(userId);
        expect(faces).to.include(roll);
        expect(to).to.equal(squareAfter(from, roll));
        expect(after.runners).to.deep.equal(before.runners.with(before.next, { userId, square: to }));
        expect(after.next).to.equal((before.next + 1) % before.runners.length);
      });
      const winners = snakesAndLadders.end(last).filter(({ place }) => place === 1);
      expect(winners).to.have.length(1);
      expect(winners[0]!.score).to.equal(lastSquare);
    };
    fc.assert(fc.property(anyGame(snakesAndLadders), playOne), { numRuns: 40 });
  });
});
