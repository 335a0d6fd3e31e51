import { snakesAndLaddersSpec } from "#shared/contracts/games/snakes-and-ladders.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type GameOf, placesByScore } from "../game.ts";
import { rollDie } from "../random.ts";

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

interface Runner {
  readonly userId: string;
  /** 0: not on the board yet. */
  readonly square: number;
}

interface Move {
  readonly userId: string;
  readonly roll: number;
  readonly from: number;
  readonly to: number;
}

export interface SnakesBoard {
  readonly runners: readonly Runner[];
  /** Index of the current player. */
  readonly next: number;
  readonly turns: number;
  readonly lastMove: Move | null;
  readonly deadlineMs: number | null;
}

/** Returns the square after a roll and a ladder or snake. A roll beyond the last square has no effect. */
export function squareAfter(square: number, roll: number): number {
  const reached = square + roll;
  if (reached > lastSquare) return square;
  return ladders.get(reached) ?? snakes.get(reached) ?? reached;
}

const isTurnOf = (board: SnakesBoard, userId: string) =>
  board.deadlineMs !== null && board.runners[board.next]!.userId === userId;
const isWon = (board: SnakesBoard) => board.runners.some(({ square }) => square === lastSquare);

export const snakesAndLadders: GameOf<typeof snakesAndLaddersSpec, SnakesBoard> = {
  ...snakesAndLaddersSpec,
  start: (players, { nowMs }) => ({
    runners: players.map((userId) => ({ userId, square: 0 })),
    next: 0,
    turns: 0,
    lastMove: null,
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) =>
    board.deadlineMs === null ? null : { userId: board.runners[board.next]!.userId, allowed: ["roll"] },
  legal: (board, userId) => (isTurnOf(board, userId) ? [{ kind: "roll" }] : []),
  deadlineMs: (board) => board.deadlineMs,
  act: (board, userId, _roll, { random, nowMs }) => {
    if (!isTurnOf(board, userId)) throw new DomainError("NOT_YOUR_TURN");
    const runner = board.runners[board.next]!;
    const roll = rollDie(random);
    const to = squareAfter(runner.square, roll);
    const moved: SnakesBoard = {
      ...board,
      runners: board.runners.with(board.next, { userId, square: to }),
      next: (board.next + 1) % board.runners.length,
      turns: board.turns + 1,
      lastMove: { userId, roll, from: runner.square, to },
      deadlineMs: nowMs + turnSeconds * 1000,
    };
    return isWon(moved) || moved.turns >= turnsMax ? { ...moved, deadlineMs: null } : moved;
  },
  timeout: (board, chance) => snakesAndLadders.act(board, board.runners[board.next]!.userId, { kind: "roll" }, chance),
  view: ({ runners, lastMove }) => ({
    runners: runners.map(({ userId, square }) => ({ user_id: userId, square })),
    last_move: lastMove && { user_id: lastMove.userId, roll: lastMove.roll, from: lastMove.from, to: lastMove.to },
    ladders: [...ladders].map(([from, to]) => ({ from, to })),
    snakes: [...snakes].map(([from, to]) => ({ from, to })),
  }),
  viewFor: () => ({}),
  standings: ({ runners, deadlineMs }) =>
    placesByScore(
      runners.map(({ userId, square }) => ({ userId, score: square })),
      deadlineMs === null,
    ),
  isOver: (board) => board.deadlineMs === null,
};
