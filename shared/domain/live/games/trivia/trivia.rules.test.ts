import { expect } from "chai";
import fc from "fast-check";
import { type GameAction, isOver, takeAction } from "#shared/extension/game.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { anyGame, type GameStep, playGame } from "#shared/testing/games/play-game.ts";
import { SeededRandom } from "../random.ts";
import { bank, type TriviaBoard, trivia } from "./trivia.rules.ts";

const startMs = 1_000_000;
const start = (seed = "ab".repeat(32)): TriviaBoard =>
  trivia.setup(["a", "b"], { random: new SeededRandom(seed), nowMs: startMs });
const answer = (board: TriviaBoard, userId: string, option: number, afterMs = 0, question = board.index) =>
  takeAction(trivia, board, userId, { kind: "answer", question, option } as GameAction, {
    random: { below: () => 0 },
    nowMs: startMs + afterMs,
  });
const rightOf = (board: TriviaBoard, index = board.index) => board.questions[index]!.right;
const wrongOf = (board: TriviaBoard) => (rightOf(board) + 1) % 4;
const refused = (work: () => unknown, code: string) => expect(work).to.throw(DomainError).with.property("code", code);
const scores = (board: TriviaBoard) => trivia.end(board).map(({ score }) => score);

function checkStep({ before, after }: GameStep<TriviaBoard>): void {
  const ended = after.index !== before.index || after.deadlineMs === null;
  if (!ended) {
    // What was answered, and whether it was right, shows when the round is over.
    expect(scores(after)).to.deep.equal(scores(before));
    expect(after.lastRound).to.deep.equal(before.lastRound);
    return;
  }
  const { lastRound } = after;
  expect(lastRound).to.include({ index: before.index, right: rightOf(before) });
  for (const { userId, option, points } of lastRound!.answers) {
    expect(points === 0).to.equal(option !== lastRound!.right);
    if (points > 0) expect(points).to.be.within(500, 1000);
    const index = before.players.findIndex((player) => player.userId === userId);
    expect(scores(after)[index]).to.equal(scores(before)[index]! + points);
  }
  expect(after.answers).to.deep.equal([]);
}

describe("trivia", () => {
  it("asks ten questions of the bank, none twice, and counts each answer once, after its round", () => {
    const playOne = (toPlay: Parameters<typeof playGame>[1]) => {
      const last = playGame(trivia, toPlay, checkStep);
      const texts = last.questions.map(({ text }) => text);
      expect(new Set(texts).size).to.equal(10);
      for (const { text, options, right } of last.questions) {
        const original = bank.find((question) => question.text === text)!;
        expect(options.toSorted()).to.deep.equal(original.options.toSorted());
        expect(options[right]).to.equal(original.options[0]);
      }
    };
    fc.assert(fc.property(anyGame(trivia), playOne), { numRuns: 40 });
  });

  it("puts the right option anywhere", () => {
    const rights = Array.from({ length: 40 }, (_, seed) => start(seed.toString(16).padStart(64, "0"))).flatMap(
      ({ questions }) => questions.map(({ right }) => right),
    );
    for (const option of [0, 1, 2, 3]) {
      const share = rights.filter((right) => right === option).length / rights.length;
      expect(share).to.be.within(0.18, 0.32);
    }
  });

  it("gives more for a right answer the sooner it comes, and nothing for a wrong one", () => {
    const pointsOf = (option: number, afterMs: number) =>
      answer(start(), "a", option, afterMs).answers.find(({ userId }) => userId === "a")!.points;
    const right = rightOf(start());
    expect([0, 7_500, 14_999, 15_000].map((afterMs) => pointsOf(right, afterMs))).to.deep.equal([1000, 750, 500, 500]);
    expect(pointsOf(wrongOf(start()), 0)).to.equal(0);
  });

  it("takes one answer of each to the open question, and refuses the rest", () => {
    const board = answer(start(), "a", 1);
    refused(() => answer(board, "a", 2), "ILLEGAL_ACTION");
    refused(() => answer(board, "b", 0, 0, 1), "ILLEGAL_ACTION");
    refused(() => answer(board, "stranger", 0), "NOT_YOUR_TURN");
    const next = answer(board, "b", 0);
    expect(next.index).to.equal(1);
    refused(() => answer(next, "b", 0, 0, 0), "ILLEGAL_ACTION");
  });

  it("ends a round when all have answered, or its time is over, and the game after the last", () => {
    let board = answer(start(), "a", rightOf(start()));
    expect(board.index).to.equal(0);
    board = trivia.timeout(board, { random: { below: () => 0 }, nowMs: startMs + 15_000 });
    expect(board.index).to.equal(1);
    expect(trivia.deadlineMs(board)).to.equal(startMs + 30_000);
    expect(scores(board)).to.deep.equal([1000, 0]);
    for (let round = 1; round < 10; round += 1) board = answer(answer(board, "a", 0, 20_000), "b", 0, 20_000);
    expect(isOver(trivia, board)).to.equal(true);
    expect((trivia.view.board(board) as { question: unknown }).question).to.equal(null);
  });

  it("shows the open question without its answer, and of the others' answers only that they are there", () => {
    const board = answer(start(), "a", 3);
    const shown = trivia.view.board(board) as { question: object; answered: string[]; last_round: unknown };
    expect(shown.question).to.have.all.keys("index", "category", "difficulty", "text", "options", "ends_at");
    expect(shown).to.deep.include({ answered: ["a"], last_round: null });
    expect(trivia.view.you(board, "a")).to.deep.equal({ answer: 3 });
    expect(trivia.view.you(board, "b")).to.deep.equal({ answer: null });
  });
});
