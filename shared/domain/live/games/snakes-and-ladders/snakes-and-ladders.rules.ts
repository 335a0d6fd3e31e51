import Joi from "joi";
import { count, type Infer, integer, listOf, nullable, object } from "#shared/contracts/fields.ts";
import { snakesAndLaddersSpec } from "#shared/contracts/games/snakes-and-ladders.ts";
import { type Chance, defineGame, notYourTurn, placesByScore, rollDie } from "#shared/extension/game.ts";

/** The start and end of each ladder (up) and snake (down). */
export const ladders: ReadonlyMap<number, number> = new Map([
  [4, 14],
  [9, 31],
  [20, 38],
  [28, 84],
  [40, 59],
  [51, 67],
  [63, 81],
  [71, 91],
]);
export const snakes: ReadonlyMap<number, number> = new Map([
  [17, 7],
  [54, 34],
  [62, 19],
  [64, 60],
  [87, 24],
  [93, 73],
  [95, 75],
  [99, 78],
]);

export const lastSquare = 100;
const turnSeconds = snakesAndLaddersSpec.meta.turn_seconds;
/** The maximum number of turns. Without a winner by then, the game ends. */
const turnsMax = 1000;

/** 0: not on the board yet. */
const square = integer(0, lastSquare);

const state = object({
  runners: listOf(object({ userId: Joi.string<string>(), square })),
  /** Index of the current player. */
  next: integer(0, 5),
  turns: integer(0, turnsMax),
  lastMove: nullable(object({ userId: Joi.string<string>(), roll: integer(1, 6), from: square, to: square })),
  deadlineMs: nullable(count()),
});
type SnakesBoard = Infer<typeof state>;

/** Returns the square after a roll and a ladder or snake. A roll beyond the last square has no effect. */
export function squareAfter(square: number, roll: number): number {
  const reached = square + roll;
  if (reached > lastSquare) return square;
  return ladders.get(reached) ?? snakes.get(reached) ?? reached;
}

const isTurnOf = (board: SnakesBoard, userId: string) =>
  board.deadlineMs !== null && board.runners[board.next]!.userId === userId;
const isWon = (board: SnakesBoard) => board.runners.some(({ square }) => square === lastSquare);

function run(board: SnakesBoard, { random, nowMs }: Chance): SnakesBoard {
  const runner = board.runners[board.next]!;
  const roll = rollDie(random);
  const to = squareAfter(runner.square, roll);
  const moved: SnakesBoard = {
    ...board,
    runners: board.runners.with(board.next, { userId: runner.userId, square: to }),
    next: (board.next + 1) % board.runners.length,
    turns: board.turns + 1,
    lastMove: { userId: runner.userId, roll, from: runner.square, to },
    deadlineMs: nowMs + turnSeconds * 1000,
  };
  return isWon(moved) || moved.turns >= turnsMax ? { ...moved, deadlineMs: null } : moved;
}

export const snakesAndLadders = defineGame({
  ...snakesAndLaddersSpec,
  state,
  setup: (players, { nowMs }) => ({
    runners: players.map((userId) => ({ userId, square: 0 })),
    next: 0,
    turns: 0,
    lastMove: null,
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) => (board.deadlineMs === null ? null : board.runners[board.next]!.userId),
  legal: (board, userId) => (isTurnOf(board, userId) ? [{ kind: "roll" }] : []),
  deadlineMs: (board) => board.deadlineMs,
  rules: {
    roll: (board, userId, _roll, chance) => {
      if (!isTurnOf(board, userId)) throw notYourTurn();
      return run(board, chance);
    },
  },
  timeout: run,
  view: {
    board: ({ runners, lastMove }) => ({
      runners: runners.map(({ userId, square }) => ({ user_id: userId, square })),
      last_move: lastMove && { user_id: lastMove.userId, roll: lastMove.roll, from: lastMove.from, to: lastMove.to },
      ladders: [...ladders].map(([from, to]) => ({ from, to })),
      snakes: [...snakes].map(([from, to]) => ({ from, to })),
    }),
    you: () => ({}),
  },
  end: ({ runners, deadlineMs }) =>
    placesByScore(
      runners.map(({ userId, square }) => ({ userId, score: square })),
      deadlineMs === null,
    ),
});
