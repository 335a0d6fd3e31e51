import Joi from "joi";
import { count, type Infer, integer, listOf, nullable, object, oneOf } from "#shared/contracts/fields.ts";
import { truthOrDareSpec } from "#shared/contracts/games/truth-or-dare.ts";
import { defineGame, notYourTurn, placesByScore } from "#shared/extension/game.ts";
import promptBank from "./prompts.json" with { type: "json" };

type Kind = "truth" | "dare";

/** All prompts by kind, suitable for all ages. */
export const prompts: Readonly<Record<Kind, readonly string[]>> = promptBank;

/** Number of rounds. */
const rounds = 3;
const turnSeconds = truthOrDareSpec.meta.turn_seconds;

const state = object({
  players: listOf(object({ userId: Joi.string<string>(), taken: integer(0, rounds) })),
  next: integer(0, 7),
  turnsLeft: integer(0, 8 * rounds),
  prompt: nullable(object({ userId: Joi.string<string>(), kind: oneOf("truth", "dare"), index: count() })),
  /** Indexes of the drawn prompts, so that none is repeated. */
  drawn: object({ truth: listOf(count()), dare: listOf(count()) }),
  deadlineMs: nullable(count()),
});
type TruthOrDareBoard = Infer<typeof state>;

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

export const truthOrDare = defineGame({
  ...truthOrDareSpec,
  state,
  setup: (userIds, { nowMs }) => ({
    players: userIds.map((userId) => ({ userId, taken: 0 })),
    next: 0,
    turnsLeft: userIds.length * rounds,
    prompt: null,
    drawn: { truth: [], dare: [] },
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) => (board.deadlineMs === null ? null : board.players[board.next]!.userId),
  legal: (board, userId) =>
    isTurnOf(board, userId)
      ? [
          { kind: "prompt_pick", prompt: "truth" },
          { kind: "prompt_pick", prompt: "dare" },
        ]
      : [],
  deadlineMs: (board) => board.deadlineMs,
  rules: {
    prompt_pick: (board, userId, { prompt: kind }, { random, nowMs }) => {
      if (!isTurnOf(board, userId)) throw notYourTurn();
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
  },
  timeout: (board, { nowMs }) => passOn({ ...board, prompt: null }, nowMs),
  view: {
    board: ({ prompt, turnsLeft, players }) => ({
      prompt: prompt && { user_id: prompt.userId, kind: prompt.kind, text: prompts[prompt.kind][prompt.index]! },
      turns_left: turnsLeft,
      players: players.map(({ userId, taken }) => ({ user_id: userId, taken })),
    }),
    you: () => ({}),
  },
  end: ({ players, deadlineMs }) =>
    placesByScore(
      players.map(({ userId, taken }) => ({ userId, score: taken })),
      deadlineMs === null,
    ),
});
