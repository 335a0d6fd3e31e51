import Joi from "joi";
import { count, flag, type Infer, integer, listOf, nullable, object, oneOf } from "#shared/contracts/fields.ts";
import { faces, memorySpec } from "#shared/contracts/games/memory.ts";
import { defineGame, illegal, notYourTurn, placesByScore, shuffle } from "#shared/extension/game.ts";

const turnSeconds = memorySpec.meta.turn_seconds;
/** How long cards that don't match stay open before the next turn, milliseconds. */
const lookMs = 2000;
/** A game without progress ends after this number of flips. */
const flipsMax = 2000;

const state = object({
  players: listOf(object({ userId: Joi.string<string>(), pairs: integer(0, faces.length) })),
  cards: listOf(object({ face: oneOf(...faces), state: oneOf("closed", "open", "matched") })),
  next: integer(0, 3),
  flips: integer(0, flipsMax + 20),
  /** Two open cards don't match. No player can act until the deadline, when they are turned back. */
  looking: flag(),
  deadlineMs: nullable(count()),
});
export type MemoryBoard = Infer<typeof state>;

const isTurnOf = (board: MemoryBoard, userId: string) =>
  board.deadlineMs !== null && !board.looking && board.players[board.next]!.userId === userId;

const openCards = ({ cards }: MemoryBoard): number[] =>
  cards.flatMap(({ state }, index) => (state === "open" ? [index] : []));

const closedCards = ({ cards }: MemoryBoard): number[] =>
  cards.flatMap(({ state }, index) => (state === "closed" ? [index] : []));

const turnTo = (board: MemoryBoard, indexes: readonly number[], state: "closed" | "matched"): MemoryBoard["cards"] =>
  board.cards.map((card, index) => (indexes.includes(index) ? { ...card, state } : card));

function flipped(board: MemoryBoard, card: number, nowMs: number): MemoryBoard {
  if (board.cards[card]?.state !== "closed") throw illegal("This card is already face up.");
  const cards = board.cards.with(card, { ...board.cards[card], state: "open" });
  const after: MemoryBoard = { ...board, cards, flips: board.flips + 1, deadlineMs: nowMs + turnSeconds * 1000 };
  const [first, second] = openCards(after);
  if (first === undefined || second === undefined) return after;
  if (cards[first]!.face === cards[second]!.face) return matched(after, [first, second]);
  return { ...after, looking: true, deadlineMs: after.flips >= flipsMax ? null : nowMs + lookMs };
}

function matched(board: MemoryBoard, pair: readonly number[]): MemoryBoard {
  const player = board.players[board.next]!;
  const players = board.players.with(board.next, { ...player, pairs: player.pairs + 1 });
  const after = { ...board, players, cards: turnTo(board, pair, "matched") };
  return after.cards.every(({ state }) => state === "matched") ? { ...after, deadlineMs: null } : after;
}

const nextPlayer = (board: MemoryBoard, nowMs: number): MemoryBoard => ({
  ...board,
  cards: turnTo(board, openCards(board), "closed"),
  looking: false,
  next: (board.next + 1) % board.players.length,
  deadlineMs: nowMs + turnSeconds * 1000,
});

export const memory = defineGame({
  ...memorySpec,
  state,
  setup: (userIds, { random, nowMs }) => ({
    players: userIds.map((userId) => ({ userId, pairs: 0 })),
    cards: shuffle([...faces, ...faces], random).map((face) => ({ face, state: "closed" as const })),
    next: 0,
    flips: 0,
    looking: false,
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) => (board.deadlineMs === null || board.looking ? null : board.players[board.next]!.userId),
  legal: (board, userId) => (isTurnOf(board, userId) ? closedCards(board).map((card) => ({ kind: "flip", card })) : []),
  deadlineMs: (board) => board.deadlineMs,
  rules: {
    flip: (board, userId, { card }, { nowMs }) => {
      if (!isTurnOf(board, userId)) throw notYourTurn();
      return flipped(board, card, nowMs);
    },
  },
  timeout: (board, { nowMs }) => {
    const after = nextPlayer(board, nowMs);
    // A lost turn counts as flips, so that abandoned games end.
    const flips = board.flips + (board.looking ? 0 : 20);
    return flips >= flipsMax ? { ...after, flips, deadlineMs: null } : { ...after, flips };
  },
  view: {
    board: ({ cards, players, looking }) => ({
      cards: cards.map(({ state, face }, card) => ({ card, state, face: state === "closed" ? null : face })),
      players: players.map(({ userId, pairs }) => ({ user_id: userId, pairs })),
      looking,
    }),
    you: () => ({}),
  },
  end: ({ players, deadlineMs }) =>
    placesByScore(
      players.map(({ userId, pairs }) => ({ userId, score: pairs })),
      deadlineMs === null,
    ),
});
