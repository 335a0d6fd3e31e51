import { faces, memorySpec } from "#shared/contracts/games/memory.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { type GameOf, placesByScore } from "../game.ts";
import { shuffle } from "../random.ts";

const turnSeconds = memorySpec.meta.turn_seconds;
/** How long cards that don't match stay open before the next turn, milliseconds. */
const lookMs = 2000;
/** A game without progress ends after this number of flips. */
const flipsMax = 2000;

interface MemoryPlayer {
  readonly userId: string;
  readonly pairs: number;
}

export interface MemoryBoard {
  readonly players: readonly MemoryPlayer[];
  readonly cards: readonly { readonly face: (typeof faces)[number]; readonly state: "closed" | "open" | "matched" }[];
  readonly next: number;
  readonly flips: number;
  /** Two open cards don't match. No player can act until the deadline, when they are turned back. */
  readonly looking: boolean;
  readonly deadlineMs: number | null;
}

const isTurnOf = (board: MemoryBoard, userId: string) =>
  board.deadlineMs !== null && !board.looking && board.players[board.next]!.userId === userId;

const openCards = ({ cards }: MemoryBoard): number[] =>
  cards.flatMap(({ state }, index) => (state === "open" ? [index] : []));

const closedCards = ({ cards }: MemoryBoard): number[] =>
  cards.flatMap(({ state }, index) => (state === "closed" ? [index] : []));

const turnTo = (board: MemoryBoard, indexes: readonly number[], state: "closed" | "matched"): MemoryBoard["cards"] =>
  board.cards.map((card, index) => (indexes.includes(index) ? { ...card, state } : card));

function flipped(board: MemoryBoard, card: number, nowMs: number): MemoryBoard {
  if (board.cards[card]?.state !== "closed") throw new DomainError("ILLEGAL_ACTION", "This card is already face up.");
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

export const memory: GameOf<typeof memorySpec, MemoryBoard> = {
  ...memorySpec,
  start: (userIds, { random, nowMs }) => ({
    players: userIds.map((userId) => ({ userId, pairs: 0 })),
    cards: shuffle([...faces, ...faces], random).map((face) => ({ face, state: "closed" as const })),
    next: 0,
    flips: 0,
    looking: false,
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) =>
    board.deadlineMs === null || board.looking
      ? null
      : { userId: board.players[board.next]!.userId, allowed: ["flip"] },
  legal: (board, userId) => (isTurnOf(board, userId) ? closedCards(board).map((card) => ({ kind: "flip", card })) : []),
  deadlineMs: (board) => board.deadlineMs,
  act: (board, userId, { card }, { nowMs }) => {
    if (!isTurnOf(board, userId)) throw new DomainError("NOT_YOUR_TURN");
    return flipped(board, card, nowMs);
  },
  timeout: (board, { nowMs }) => {
    const after = nextPlayer(board, nowMs);
    // A lost turn counts as flips, so that abandoned games end.
    const flips = board.flips + (board.looking ? 0 : 20);
    return flips >= flipsMax ? { ...after, flips, deadlineMs: null } : { ...after, flips };
  },
  view: ({ cards, players, looking }) => ({
    cards: cards.map(({ state, face }, card) => ({ card, state, face: state === "closed" ? null : face })),
    players: players.map(({ userId, pairs }) => ({ user_id: userId, pairs })),
    looking,
  }),
  viewFor: () => ({}),
  standings: ({ players, deadlineMs }) =>
    placesByScore(
      players.map(({ userId, pairs }) => ({ userId, score: pairs })),
      deadlineMs === null,
    ),
  isOver: (board) => board.deadlineMs === null,
};
