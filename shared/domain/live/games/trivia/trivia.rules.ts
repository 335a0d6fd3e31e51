import Joi from "joi";
import { count, type Infer, integer, listOf, nullable, object, oneOf } from "#shared/contracts/fields.ts";
import { triviaSpec } from "#shared/contracts/games/trivia.ts";
import { defineGame, illegal, notYourTurn, placesByScore, type Random, shuffle } from "#shared/extension/game.ts";
import questionBank from "./questions.json" with { type: "json" };

/** A question of the bank. The first option is correct; each game shuffles the options. */
export interface BankQuestion {
  readonly category: string;
  readonly difficulty: "easy" | "medium" | "hard";
  readonly text: string;
  readonly options: readonly string[];
}

export const bank = questionBank as readonly BankQuestion[];

const rounds = 10;
const roundSeconds = triviaSpec.meta.turn_seconds;
const optionsEach = 4;
const pointsForRight = 500;
const pointsForSpeed = 500;

const option = integer(0, optionsEach - 1);
const question = object({
  category: Joi.string<string>(),
  difficulty: oneOf("easy", "medium", "hard"),
  text: Joi.string<string>(),
  options: listOf(Joi.string<string>()),
  /** Index of the correct option. Not in any view while the question is open. */
  right: option,
});
const answers = listOf(
  object({ userId: Joi.string<string>(), option, points: integer(0, pointsForRight + pointsForSpeed) }),
);

const state = object({
  players: listOf(object({ userId: Joi.string<string>(), score: count() })),
  questions: listOf(question),
  /** Index of the current question. */
  index: integer(0, rounds - 1),
  answers,
  lastRound: nullable(object({ index: integer(0, rounds - 1), right: option, answers })),
  deadlineMs: nullable(count()),
});
export type TriviaBoard = Infer<typeof state>;

function drawQuestions(random: Random): TriviaBoard["questions"] {
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

export const trivia = defineGame({
  ...triviaSpec,
  state,
  setup: (userIds, { random, nowMs }) => ({
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
  rules: {
    answer: (board, userId, { question, option }, { nowMs }) => {
      if (!board.players.some((player) => player.userId === userId)) throw notYourTurn();
      if (question !== board.index) throw illegal("This isn't the current question.");
      if (!mayAnswer(board, userId)) throw illegal("You have already answered this question.");
      const points = pointsFor(board, option, nowMs);
      const after = { ...board, answers: [...board.answers, { userId, option, points }] };
      return after.answers.length === after.players.length ? endRound(after, nowMs) : after;
    },
  },
  timeout: (board, { nowMs }) => endRound(board, nowMs),
  view: {
    board: (board) => ({
      question: board.deadlineMs === null ? null : openQuestion(board, board.deadlineMs),
      answered: board.answers.map(({ userId }) => userId),
      last_round: board.lastRound && {
        index: board.lastRound.index,
        right_option: board.lastRound.right,
        answers: board.lastRound.answers.map(({ userId, ...rest }) => ({ user_id: userId, ...rest })),
      },
    }),
    you: (board, userId) => ({ answer: board.answers.find((answer) => answer.userId === userId)?.option ?? null }),
  },
  end: ({ players, deadlineMs }) => placesByScore(players, deadlineMs === null),
});

function openQuestion(board: TriviaBoard, deadlineMs: number) {
  const { category, difficulty, text: asked, options } = board.questions[board.index]!;
  const ends_at = new Date(deadlineMs).toISOString();
  return { index: board.index, category, difficulty, text: asked, options: [...options], ends_at };
}
