import Joi from "joi";
import { count, type Infer, integer, listOf, nullable, object } from "#shared/contracts/fields.ts";
import { ludoSpec } from "#shared/contracts/games/ludo.ts";
import { type Chance, defineGame, illegal, notYourTurn, rollDie } from "#shared/extension/game.ts";

/**
 * Ludo on the classic board. The position of a piece is its progress along the player's path: 0 in the yard, 1 to 51 on
 * the ring (1 is the start square), 52 to 56 in the home column, 57 home. Pieces of different players meet only on the
 * ring.
 */
export const home = 57;
const lastOnRing = 51;
const ringSquares = 52;
/** Ring squares where pieces can't be captured: the four starts, and the star eight squares after each. */
const safeSquares: ReadonlySet<number> = new Set([0, 8, 13, 21, 26, 34, 39, 47]);
/** The start square of each color on the ring. Two players start opposite each other. */
const starts: Record<number, readonly number[]> = { 2: [0, 26], 3: [0, 13, 26], 4: [0, 13, 26, 39] };

const piecesEach = 4;
const turnSeconds = ludoSpec.meta.turn_seconds;
const rollsMax = 4000;

const player = object({
  userId: Joi.string<string>(),
  /** The player's start square on the ring. */
  start: integer(0, ringSquares - 1),
  /** Progress of each of the player's pieces. */
  pieces: listOf(integer(0, home)),
  /** The player's final place, null while they are playing. */
  place: nullable(integer(1, 4)),
});
type LudoPlayer = Infer<typeof player>;

const state = object({
  players: listOf(player),
  /** Index of the current player. */
  next: integer(0, 3),
  /** The roll that requires a move, null if the player must roll. */
  roll: nullable(integer(1, 6)),
  /** Consecutive sixes in this turn. */
  sixes: integer(0, 3),
  lastRoll: nullable(object({ userId: Joi.string<string>(), roll: integer(1, 6) })),
  rolls: integer(0, rollsMax),
  deadlineMs: nullable(count()),
});
export type LudoBoard = Infer<typeof state>;

/** Returns the ring square of a piece, or undefined in the yard, in a home column, or at home. */
export function ringSquare(start: number, progress: number): number | undefined {
  return progress >= 1 && progress <= lastOnRing ? (start + progress - 1) % ringSquares : undefined;
}

/** Returns the progress of a piece after a roll, or undefined if the piece can't move. */
export function progressAfter(progress: number, roll: number): number | undefined {
  if (progress === 0) return roll === 6 ? 1 : undefined;
  const reached = progress + roll;
  return progress < home && reached <= home ? reached : undefined;
}

/** Returns the indexes of the pieces that the roll can move. */
export function movable(player: LudoPlayer, roll: number): number[] {
  return player.pieces.flatMap((progress, piece) => (progressAfter(progress, roll) === undefined ? [] : [piece]));
}

const playing = (board: LudoBoard): LudoPlayer => board.players[board.next]!;
const isTurnOf = (board: LudoBoard, userId: string) => board.deadlineMs !== null && playing(board).userId === userId;

function passOn(board: LudoBoard, nowMs: number): LudoBoard {
  let next = board.next;
  do next = (next + 1) % board.players.length;
  while (board.players[next]!.place !== null);
  return { ...board, next, roll: null, sixes: 0, deadlineMs: nowMs + turnSeconds * 1000 };
}

const again = (board: LudoBoard, nowMs: number): LudoBoard => ({
  ...board,
  roll: null,
  deadlineMs: nowMs + turnSeconds * 1000,
});

function rolled(board: LudoBoard, { random, nowMs }: Chance): LudoBoard {
  const roll = rollDie(random);
  const { userId } = playing(board);
  const sixes = roll === 6 ? board.sixes + 1 : 0;
  const after: LudoBoard = { ...board, sixes, rolls: board.rolls + 1, lastRoll: { userId, roll } };
  if (after.rolls >= rollsMax) return { ...after, roll: null, deadlineMs: null };
  if (sixes === 3) return passOn(after, nowMs);
  if (movable(playing(after), roll).length > 0) return { ...after, roll, deadlineMs: nowMs + turnSeconds * 1000 };
  return roll === 6 ? again(after, nowMs) : passOn(after, nowMs);
}

/** Returns the other players' pieces on this ring square to the yard. */
function capture(players: readonly LudoPlayer[], mover: number, square: number | undefined): LudoPlayer[] {
  return players.map((player, index) => {
    if (index === mover || square === undefined || safeSquares.has(square)) return player;
    if (!player.pieces.some((progress) => ringSquare(player.start, progress) === square)) return player;
    const pieces = player.pieces.map((progress) => (ringSquare(player.start, progress) === square ? 0 : progress));
    return { ...player, pieces };
  });
}

function moved(board: LudoBoard, piece: number, roll: number, nowMs: number): LudoBoard {
  const player = playing(board);
  const progress = progressAfter(player.pieces[piece] ?? home, roll);
  if (progress === undefined) throw illegal("This piece can't move that far.");
  const pieces = player.pieces.with(piece, progress);
  const finished = pieces.every((one) => one === home);
  const place = finished ? 1 + board.players.filter((one) => one.place !== null).length : null;
  const players = capture(board.players, board.next, ringSquare(player.start, progress)).with(board.next, {
    ...player,
    pieces,
    place,
  });
  const after = { ...board, players, roll: null };
  if (players.filter((one) => one.place === null).length === 1) return { ...after, deadlineMs: null };
  return roll === 6 && !finished ? again(after, nowMs) : passOn(after, nowMs);
}

const scoreOf = ({ pieces }: LudoPlayer): number => pieces.reduce((sum, progress) => sum + progress, 0);

export const ludo = defineGame({
  ...ludoSpec,
  state,
  setup: (userIds, { nowMs }) => ({
    players: userIds.map((userId, index) => ({
      userId,
      start: starts[userIds.length]![index]!,
      pieces: Array.from({ length: piecesEach }, () => 0),
      place: null,
    })),
    next: 0,
    roll: null,
    sixes: 0,
    lastRoll: null,
    rolls: 0,
    deadlineMs: nowMs + turnSeconds * 1000,
  }),
  turn: (board) => (board.deadlineMs === null ? null : playing(board).userId),
  legal: (board, userId) => {
    if (!isTurnOf(board, userId)) return [];
    if (board.roll === null) return [{ kind: "roll" }];
    return movable(playing(board), board.roll).map((piece) => ({ kind: "move", piece }));
  },
  deadlineMs: (board) => board.deadlineMs,
  rules: {
    roll: (board, userId, _roll, chance) => {
      if (!isTurnOf(board, userId)) throw notYourTurn();
      if (board.roll !== null) throw illegal("You have already rolled. Move a piece.");
      return rolled(board, chance);
    },
    move: (board, userId, { piece }, { nowMs }) => {
      if (!isTurnOf(board, userId)) throw notYourTurn();
      if (board.roll === null) throw illegal("Roll first.");
      return moved(board, piece, board.roll, nowMs);
    },
  },
  timeout: (board, chance) => {
    if (board.roll === null) return rolled(board, chance);
    const { pieces } = playing(board);
    const furthest = movable(playing(board), board.roll).reduce((best, piece) =>
      pieces[piece]! > pieces[best]! ? piece : best,
    );
    return moved(board, furthest, board.roll, chance.nowMs);
  },
  view: {
    board: ({ players, roll, lastRoll }) => ({
      players: players.map(({ userId, start, pieces, place }) => ({ user_id: userId, start, pieces, place })),
      roll,
      last_roll: lastRoll && { user_id: lastRoll.userId, roll: lastRoll.roll },
      safe_squares: [...safeSquares],
    }),
    you: () => ({}),
  },
  end: (board) => {
    const over = board.deadlineMs === null;
    const home = board.players.filter(({ place }) => place !== null).length;
    return board.players.map((player) => {
      const behind = board.players.filter((other) => other.place === null && scoreOf(other) > scoreOf(player)).length;
      return {
        userId: player.userId,
        score: scoreOf(player),
        place: player.place ?? (over ? home + behind + 1 : null),
      };
    });
  },
});
