import type { Infer } from "#shared/contracts/fields.ts";
import { triviaSpec } from "#shared/contracts/games/trivia.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type GameOf, placesByScore } from "../game.ts";
import { type Random, shuffle } from "../random.ts";
import questionBank from "./questions.json" with { type: "json" };

type Difficulty = NonNullable<Infer<typeof triviaSpec.board>["question"]>["difficulty"];

/** A question of the bank. The first option is correct; each game shuffles the options. */
export interface BankQuestion {
  readonly category: string;
  readonly difficulty: Difficulty;
  readonly text: string;
  readonly options: readonly string[];
}

export const bank = questionBank as readonly BankQuestion[];

const rounds = 10;
const roundSeconds = triviaSpec.meta.turn_seconds;
const optionsEach = 4;
const pointsForRight = 500;
const pointsForSpeed = 500;

interface Question {
  readonly category: string;
  readonly difficulty: Difficulty;
  readonly text: string;
  readonly options: readonly string[];
  /** Index of the correct option. Not in any view while the question is open. */
  readonly right: number;
}

interface Answer {
  readonly userId: string;
  readonly option: number;
  readonly points: number;
}

export interface TriviaBoard {
  readonly players: readonly { readonly userId: string; readonly score: number }[];
  readonly questions: readonly Question[];
  /** Index of the current question. */
  readonly index: number;
  readonly answers: readonly Answer[];
  readonly lastRound: { readonly index: number; readonly right: number; readonly answers: readonly Answer[] } | null;
  readonly deadlineMs: number | null;
}

function drawQuestions(random: Random): Question[] {
  const left = [...bank];
  return Array.from({ length: rounds }, () => {
    const [drawn] = left.splice(random.below(left.length, "question"), 1);
    const options = shuffle(drawn!.options, random);
    return { ...drawn!, options, right: options.indexOf(drawn!.options[0]!) };
  });
}

/** A correct answer scores 500 points, plus up to 500 for speed. */
function pointsFor(board: TriviaBoard, option: number, nowMs: number): number {
  if (option !== board.questions[board.index]!.right) return 0;
  const left = Math.max(0, Math.min(1, (board.deadlineMs! - nowMs) / (roundSeconds * 1000)));
  return pointsForRight + Math.floor(pointsForSpeed * left);
}

function endRound(board: TriviaBoard, nowMs: number): TriviaBoard {
  const { index, answers } = board;
  const players = board.players.map((player) => {
    const points = answers.find(({ userId }) => userId === player.userId)?.points ?? 0;
    return { ...player, score: player.score + points };
  });
  const isLast = index + 1 === board.questions.length;
  return {
    ...board,
    players,
    lastRound: { index, right: board.questions[index]!.right, answers },
    answers: [],
    index: isLast ? index : index + 1,
    deadlineMs: isLast ? null : nowMs + roundSeconds * 1000,
  };
}

const mayAnswer = (board: TriviaBoard, userId: string) =>
  board.deadlineMs !== null &&
  board.players.some((player) => player.userId === userId) &&
  !board.answers.some((answer) => answer.userId === userId);

export const trivia: GameOf<typeof triviaSpec, TriviaBoard> = {
  ...triviaSpec,
  start: (userIds, { random, nowMs }) => ({
    players: userIds.map((userId) => ({ userId, score: 0 })),
    questions: drawQuestions(random),
    index: 0,
    answers: [],
    lastRound: null,
    deadlineMs: nowMs + roundSeconds * 1000,
  }),
  turn: () => null,
  legal: (board, userId) =>
    mayAnswer(board, userId)
      ? Array.from({ length: optionsEach }, (_, index) => ({ kind: "answer", question: board.index, option: index }))
      : [],
  deadlineMs: (board) => board.deadlineMs,
  act: (board, userId, action, { nowMs }) => {
    if (!board.players.some((player) => player.userId === userId)) throw new DomainError("NOT_YOUR_TURN");
    if (action.question !== board.index) throw new DomainError("ILLEGAL_ACTION", "This isn't the current question.");
    if (!mayAnswer(board, userId)) throw new DomainError("ILLEGAL_ACTION", "You have already answered this question.");
    const points = pointsFor(board, action.option, nowMs);
    const after = { ...board, answers: [...board.answers, { userId, option: action.option, points }] };
    return after.answers.length === after.players.length ? endRound(after, nowMs) : after;
  },
  timeout: (board, { nowMs }) => endRound(board, nowMs),
  view: (board) => ({
    question: board.deadlineMs === null ? null : openQuestion(board, board.deadlineMs),
    answered: board.answers.map(({ userId }) => userId),
    last_round: board.lastRound && {
      index: board.lastRound.index,
      right_option: board.lastRound.right,
      answers: board.lastRound.answers.map(({ userId, ...rest }) => ({ user_id: userId, ...rest })),
    },
  }),
  viewFor: (board, userId) => ({ answer: board.answers.find((answer) => answer.userId === userId)?.option ?? null }),
  standings: ({ players, deadlineMs }) => placesByScore(players, deadlineMs === null),
  isOver: (board) => board.deadlineMs === null,
};

function openQuestion(board: TriviaBoard, deadlineMs: number) {
  const { category, difficulty, text: asked, options } = board.questions[board.index]!;
  const ends_at = new Date(deadlineMs).toISOString();
  return { index: board.index, category, difficulty, text: asked, options: [...options], ends_at };
}
