import { truthOrDareSpec } from "#shared/contracts/games/truth-or-dare.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type GameOf, placesByScore } from "../game.ts";
import promptBank from "./prompts.json" with { type: "json" };

type Kind = "truth" | "dare";

/** All prompts by kind, suitable for all ages. */
export const prompts: Readonly<Record<Kind, readonly string[]>> = promptBank;

/** Number of rounds. */
const rounds = 3;
const turnSeconds = truthOrDareSpec.meta.turn_seconds;

export interface TruthOrDareBoard {
  readonly players: readonly { readonly userId: string; readonly taken: number }[];
  readonly next: number;
  readonly turnsLeft: number;
  readonly prompt: { readonly userId: string; readonly kind: Kind; readonly index: number } | null;
  /** Indexes of the drawn prompts, so that none is repeated. */
  readonly drawn: Readonly<Record<Kind, readonly number[]>>;
  readonly deadlineMs: number | null;
}

const isTurnOf = (board: TruthOrDareBoard, userId: string) =>
  board.deadlineMs !== null && board.players[board.next]!.userId === userId;

function passOn(board: TruthOrDareBoard, nowMs: number): TruthOrDareBoard {
  const turnsLeft = board.turnsLeft - 1;
  return {
    ...board,
    turnsLeft,
    next: (board.next + 1) % board.players.length,
    deadlineMs: turnsLeft === 0 ? null : nowMs + turnSeconds * 1000,
  };
}

export const truthOrDare: GameOf<typeof truthOrDareSpec, TruthOrDareBoard> = {
  ...truthOrDareSpec,
  start: (userIds, { nowMs }) => ({
    players: userIds.map((userId) => ({ userId, taken: 0 })),
    next: 0,
    turnsLeft: userIds.length * rounds,
    prompt: null,
    drawn: { truth: [], dare: [] },
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) =>
    board.deadlineMs === null ? null : { userId: board.players[board.next]!.userId, allowed: ["prompt_pick"] },
  legal: (board, userId) =>
    isTurnOf(board, userId)
      ? [
          { kind: "prompt_pick", prompt: "truth" },
          { kind: "prompt_pick", prompt: "dare" },
        ]
      : [],
  deadlineMs: (board) => board.deadlineMs,
  act: (board, userId, { prompt: kind }, { random, nowMs }) => {
    if (!isTurnOf(board, userId)) throw new DomainError("NOT_YOUR_TURN");
    const drawn = board.drawn[kind];
    const left = prompts[kind].flatMap((_, index) => (drawn.includes(index) ? [] : [index]));
    const index = left[random.below(left.length, kind)]!;
    const player = board.players[board.next]!;
    const after: TruthOrDareBoard = {
      ...board,
      players: board.players.with(board.next, { ...player, taken: player.taken + 1 }),
      prompt: { userId, kind, index },
      drawn: { ...board.drawn, [kind]: [...drawn, index] },
    };
    return passOn(after, nowMs);
  },
  timeout: (board, { nowMs }) => passOn({ ...board, prompt: null }, nowMs),
  view: ({ prompt, turnsLeft, players }) => ({
    prompt: prompt && { user_id: prompt.userId, kind: prompt.kind, text: prompts[prompt.kind][prompt.index]! },
    turns_left: turnsLeft,
    players: players.map(({ userId, taken }) => ({ user_id: userId, taken })),
  }),
  viewFor: () => ({}),
  standings: ({ players, deadlineMs }) =>
    placesByScore(
      players.map(({ userId, taken }) => ({ userId, score: taken })),
      deadlineMs === null,
    ),
  isOver: (board) => board.deadlineMs === null,
};
