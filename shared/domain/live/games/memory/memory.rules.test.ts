import { expect } from "chai";
import fc from "fast-check";
import { faces } from "#shared/contracts/games/memory.ts";
import { type GameAction, isOver, takeAction, turnOf } from "#shared/extension/game.ts";
import { assert } from "#shared/kernel/assert.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { anyGame, type GameStep, playGame } from "#shared/testing/games/play-game.ts";
import { SeededRandom } from "../random.ts";
import { type MemoryBoard, memory } from "./memory.rules.ts";

const start = (): MemoryBoard =>
  memory.setup(["a", "b"], { random: new SeededRandom("ab".repeat(32)), nowMs: 1_000_000 });
const flip = (board: MemoryBoard, userId: string, card: number, nowMs = 1_000_000) =>
  takeAction(memory, board, userId, { kind: "flip", card } as GameAction, { random: { below: () => 0 }, nowMs });
const timeout = (board: MemoryBoard) =>
  memory.timeout(board, { random: { below: () => 0 }, nowMs: memory.deadlineMs(board)! });

/** Two cards of one face, and one of another. */
function someCards({ cards }: MemoryBoard): [number, number, number] {
  const { face } = cards[0]!;
  return [
    0,
    cards.findIndex((card, index) => index > 0 && card.face === face),
    cards.findIndex((card) => card.face !== face),
  ];
}

const inState = ({ cards }: MemoryBoard, wanted: string) =>
  cards.flatMap(({ state }, index) => (state === wanted ? [index] : []));

/** It runs some hundred thousand times, so it says what must hold as cheaply as can be. */
function checkStep({ before, after, by }: GameStep<MemoryBoard>): void {
  const { cards: shown } = memory.view.board(after) as { cards: { state: string; face: string | null }[] };
  after.cards.forEach(({ face, state }, index) => {
    const was = before.cards[index]!;
    assert(face === was.face, "cards are neither lost nor moved");
    assert(was.state !== "matched" || state === "matched", "what is won stays won");
    assert(shown[index]!.face === (state === "closed" ? null : face), "a view has the faces that are not closed");
  });
  assert(shown.length === after.cards.length, "a view has every card");
  assert(inState(after, "open").length <= 2, "two cards are open at the most");
  const pairs = after.players.reduce((sum, player) => sum + player.pairs, 0);
  assert(inState(after, "matched").length === pairs * 2, "each pair counts once");
  assert(!by || by.userId === before.players[before.next]!.userId, "whose turn it is has flipped");
}

describe("memory", () => {
  it("loses no card, opens two at the most, and counts each pair once", () => {
    const playOne = (toPlay: Parameters<typeof playGame>[1]) => {
      const last = playGame(memory, toPlay, checkStep);
      expect(last.cards.map(({ face }) => face).sort()).to.deep.equal([...faces, ...faces].sort());
      const scores = memory.end(last).map(({ score }) => score);
      expect(scores.reduce((sum, score) => sum + score, 0)).to.be.at.most(faces.length);
    };
    fc.assert(fc.property(anyGame(memory), playOne), { numRuns: 40 });
  });

  it("lets a player who finds a pair continue, and shows cards that don't match to everyone", () => {
    const board = start();
    const [one, same, other] = someCards(board);
    const found = flip(flip(board, "a", one), "a", same);
    expect(memory.turn(found)).to.equal("a");
    expect(memory.end(found).map(({ score }) => score)).to.deep.equal([1, 0]);
    const missed = flip(flip(board, "a", one), "a", other);
    expect(turnOf(memory, missed)).to.equal(null);
    expect(memory.deadlineMs(missed)).to.equal(1_002_000);
    expect(() => flip(missed, "b", same))
      .to.throw(DomainError)
      .with.property("code", "NOT_YOUR_TURN");
    const closed = timeout(missed);
    expect(inState(closed, "open")).to.deep.equal([]);
    expect(memory.turn(closed)).to.equal("b");
  });

  it("refuses a card that is not closed, or not there", () => {
    const board = start();
    const [one, same] = someCards(board);
    const open = flip(board, "a", one);
    const found = flip(open, "a", same);
    for (const [on, card] of [
      [open, one],
      [found, one],
      [board, 24],
      [board, -1],
    ] as const)
      expect(() => flip(on, "a", card))
        .to.throw(DomainError)
        .with.property("code", "ILLEGAL_ACTION");
  });

  it("turns back the open card of a player after a timeout", () => {
    const board = flip(start(), "a", 5);
    const after = timeout(board);
    expect(inState(after, "open")).to.deep.equal([]);
    expect(memory.turn(after)).to.equal("b");
  });

  it("ends without any actions", () => {
    let board = start();
    let turns = 0;
    for (; !isOver(memory, board); turns += 1) board = timeout(board);
    expect(turns).to.equal(100);
  });
});
