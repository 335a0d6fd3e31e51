import { expect } from "chai";
import fc from "fast-check";
import { type GameAction, isOver, takeAction, turnOf } from "#shared/extension/game.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { anyGame, type GameStep, playGame } from "#shared/testing/games/play-game.ts";
import { home, type LudoBoard, ludo, ringSquare } from "./ludo.rules.ts";

const safe = (ludo.view.board(start(2)) as { safe_squares: number[] }).safe_squares;

function start(count: number): LudoBoard {
  return ludo.setup(["a", "b", "c", "d"].slice(0, count), { random: dice(), nowMs: 0 });
}

/** Dice that fall so, one after the other. */
function dice(...faces: number[]) {
  return { below: () => faces.shift()! - 1 };
}

/** A board of two on which the pieces stand so, the first to act. */
function boardWith(first: number[], second: number[], more: Partial<LudoBoard> = {}): LudoBoard {
  const board = start(2);
  const players = board.players.map((player, index) => ({ ...player, pieces: index === 0 ? first : second }));
  return { ...board, players, ...more };
}

const act = (board: LudoBoard, action: GameAction & { readonly piece?: number }, ...faces: number[]) =>
  takeAction(ludo, board, board.players[board.next]!.userId, action, { random: dice(...faces), nowMs: 0 });
const roll = (board: LudoBoard, face: number) => act(board, { kind: "roll" }, face);
const move = (board: LudoBoard, piece: number) => act(board, { kind: "move", piece });
const whoseTurn = (board: LudoBoard) => ludo.turn(board);

/** Returns the occupied squares of the ring with their players. */
function standing(board: LudoBoard): Map<number, Set<string>> {
  const squares = new Map<number, Set<string>>();
  for (const { userId, start: from, pieces } of board.players)
    for (const progress of pieces) {
      const square = ringSquare(from, progress);
      if (square !== undefined) squares.set(square, (squares.get(square) ?? new Set()).add(userId));
    }
  return squares;
}

/** The tests of steps run some hundred thousand times, so they say what must hold as cheaply as can be. */
function checkStep({ before, after }: GameStep<LudoBoard>): void {
  for (const { pieces } of after.players)
    assert(
      pieces.length === 4 && pieces.every((progress) => progress >= 0 && progress <= home),
      "each has four pieces",
    );
  for (const [square, users] of standing(after))
    assert(safe.includes(square) || users.size === 1, `one player stands on ${square}`);
  const changed = after.players.flatMap(({ userId, pieces }, index) =>
    pieces.flatMap((progress, piece) => {
      const from = before.players[index]!.pieces[piece]!;
      return progress === from ? [] : [{ userId, index, from, to: progress }];
    }),
  );
  if (changed.length === 0) return;
  // One piece of the current player has moved by the roll. All other changed pieces were captured.
  const mover = before.players[before.next]!;
  const [own, ...more] = changed.filter(({ userId }) => userId === mover.userId);
  assert(own && more.length === 0, "one piece of the mover has moved");
  assert(own.to === (own.from === 0 ? 1 : own.from + before.roll!), "it has moved by the roll");
  assert(own.from > 0 || before.roll === 6, "it came out by a six");
  const reached = ringSquare(mover.start, own.to);
  for (const { userId, index, from, to } of changed) {
    if (userId === mover.userId) continue;
    const stood = ringSquare(before.players[index]!.start, from);
    assert(to === 0 && stood === reached && !safe.includes(stood!), "who was captured stood there, and not safely");
  }
}

function checkTurn({ before, after }: GameStep<LudoBoard>): void {
  if (after.deadlineMs === null) return;
  const stays = after.next === before.next;
  const { roll: face, userId } = after.lastRoll!;
  assert(after.players[after.next]!.place === null, "the current player is still playing");
  if (before.roll !== null) {
    const again = before.roll === 6 && after.players[before.next]!.place === null;
    assert(stays === again, "who has moved by a six goes on");
    return;
  }
  assert(userId === before.players[before.next]!.userId, "whose turn it is has rolled");
  const third = face === 6 && before.sixes === 2;
  assert(stays === (!third && (after.roll !== null || face === 6)), "who can move, or has a six, goes on");
}

describe("ludo", () => {
  it("keeps each piece in one place, captures on open squares only, and passes the turn on by the rules", () => {
    const playOne = (toPlay: Parameters<typeof playGame>[1]) => {
      const last = playGame(ludo, toPlay, (step) => {
        checkStep(step);
        checkTurn(step);
      });
      const standings = ludo.end(last);
      for (const { userId, score } of standings) {
        const { pieces } = last.players.find((player) => player.userId === userId)!;
        expect(score).to.equal(pieces.reduce((sum, progress) => sum + progress, 0));
      }
      const byPlace = standings.toSorted((one, other) => one.place! - other.place!);
      expect(byPlace.map(({ place }) => place)).to.deep.equal(byPlace.map((_, index) => index + 1));
      expect(byPlace[0]!.score).to.equal(4 * home);
    };
    fc.assert(fc.property(anyGame(ludo), playOne), { numRuns: 40 });
  });

  it("gives every colour a start of its own, which is safe, and a way of 51 squares", () => {
    for (const count of [2, 3, 4]) {
      const starts = start(count).players.map((player) => player.start);
      expect(new Set(starts).size).to.equal(count);
      for (const from of starts) {
        expect(safe).to.include(from);
        const way = Array.from({ length: 51 }, (_, index) => ringSquare(from, index + 1));
        expect(new Set(way).size).to.equal(51);
        expect(way[0]).to.equal(from);
      }
    }
    expect([0, 52, 57].map((progress) => ringSquare(0, progress))).to.deep.equal([undefined, undefined, undefined]);
  });

  it("lets a piece out of the yard by a six only", () => {
    expect(whoseTurn(roll(start(2), 5))).to.equal("b");
    const six = roll(start(2), 6);
    expect(turnOf(ludo, six)).to.deep.equal({ userId: "a", allowed: ["move"] });
    const out = move(six, 2);
    expect(out.players[0]!.pieces).to.deep.equal([0, 0, 1, 0]);
    expect(turnOf(ludo, out)).to.deep.equal({ userId: "a", allowed: ["roll"] });
  });

  it("takes the turn for a third six, and nothing moves by it", () => {
    const twice = move(roll(move(roll(start(2), 6), 0), 6), 0);
    expect(twice.players[0]!.pieces).to.deep.equal([7, 0, 0, 0]);
    const third = roll(twice, 6);
    expect(third.players[0]!.pieces).to.deep.equal([7, 0, 0, 0]);
    expect(turnOf(ludo, third)).to.deep.equal({ userId: "b", allowed: ["roll"] });
    expect(third.sixes).to.equal(0);
  });

  it("captures the pieces on the target square, except on safe squares", () => {
    // The second player starts on 26: progress 3 is square 28, which the first player reaches with progress 29.
    const open = move(boardWith([25, 0, 0, 0], [3, 3, 12, 0], { roll: 4 }), 0);
    expect(open.players.map(({ pieces }) => pieces)).to.deep.equal([
      [29, 0, 0, 0],
      [0, 0, 12, 0],
    ]);
    // Square 34 is safe.
    const star = move(boardWith([31, 0, 0, 0], [9, 0, 0, 0], { roll: 4 }), 0);
    expect(star.players.map(({ pieces }) => pieces[0])).to.deep.equal([35, 9]);
  });

  it("brings a piece home only by an exact roll, and ends the turn of a player who is home", () => {
    expect(whoseTurn(roll(boardWith([55, 57, 57, 57], [0, 0, 0, 0]), 3))).to.equal("b");
    const exact = roll(boardWith([55, 0, 0, 0], [0, 0, 0, 0]), 2);
    expect(ludo.legal(exact, "a")).to.deep.equal([{ kind: "move", piece: 0 }]);
    expect(() => move({ ...exact, roll: 3 }, 0))
      .to.throw(DomainError)
      .with.property("code", "ILLEGAL_ACTION");
    const last = move(boardWith([51, 57, 57, 57], [1, 0, 0, 0], { roll: 6 }), 0);
    expect(isOver(ludo, last)).to.equal(true);
    expect(ludo.end(last).map(({ place }) => place)).to.deep.equal([1, 2]);
  });

  it("refuses a move before the roll, a second roll, and a piece that cannot move", () => {
    const refused = (board: LudoBoard, action: GameAction & { readonly piece?: number }) => {
      const before = JSON.stringify(board);
      expect(() => act(board, action, 1))
        .to.throw(DomainError)
        .with.property("code", "ILLEGAL_ACTION");
      expect(JSON.stringify(board)).to.equal(before);
    };
    refused(start(2), { kind: "move", piece: 0 });
    refused(boardWith([1, 0, 0, 0], [0, 0, 0, 0], { roll: 3 }), { kind: "roll" });
    refused(boardWith([1, 0, 0, 0], [0, 0, 0, 0], { roll: 3 }), { kind: "move", piece: 1 });
    refused(boardWith([57, 1, 0, 0], [0, 0, 0, 0], { roll: 3 }), { kind: "move", piece: 0 });
  });

  it("moves the most advanced movable piece after a timeout", () => {
    const board = boardWith([56, 30, 12, 0], [0, 0, 0, 0], { roll: 2 });
    const after = ludo.timeout(board, { random: dice(), nowMs: 0 });
    expect(after.players[0]!.pieces).to.deep.equal([56, 32, 12, 0]);
  });
});
