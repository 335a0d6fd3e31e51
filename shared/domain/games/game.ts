import type Joi from "joi";
import type { Fields } from "#shared/contracts/fields.ts";
import type { Random } from "./random.ts";

/** What `GET /games/types` says of a game: everything that a client needs to draw its lobby. */
export interface GameMeta {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly min_players: number;
  readonly max_players: number;
  /** How long a player has for a turn (or all have for a round), seconds. */
  readonly turn_seconds: number;
}

/** Where a player stands. Places are from 1; equal scores share one. Null while it is not decided. */
export interface Standing {
  readonly userId: string;
  readonly score: number;
  readonly place: number | null;
}

/** Whose turn it is, and which kinds of action he may take. */
export interface Turn {
  readonly userId: string;
  readonly allowed: readonly string[];
}

export interface GameAction {
  readonly kind: string;
}

/** What the rules may use of the world outside. */
export interface Chance {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The rules of one game, pure: a board goes in and the next comes out, or a DomainError (NOT_YOUR_TURN, ILLEGAL_ACTION)
 * is thrown and nothing has changed. A board is plain JSON that is never changed in place; it is stored after every
 * action, and a game goes on from it after a crash. Adding a game is a folder with such an object, and its line in
 * `games.ts`.
 */
export interface Game<Board extends object = object, Action extends GameAction = GameAction> {
  readonly meta: GameMeta;
  /** Each kind of action and its members beside `kind`. */
  readonly actions: Readonly<Record<Action["kind"], Fields>>;
  /** Schema of `view`, for the documents. */
  readonly board: Joi.ObjectSchema;
  /** Schema of `viewFor`, for the documents. */
  readonly you: Joi.ObjectSchema;
  /** `players`: in the order of the lobby; as many as `meta` allows. */
  start(players: readonly string[], chance: Chance): Board;
  /** Null when all may act at once, or the game is over. */
  turn(board: Board): Turn | null;
  /** Everything that this player may do now; empty when it is not for him to act. */
  legal(board: Board, userId: string): readonly Action[];
  /** When the server acts in a player's stead, milliseconds since 1970; null when the game is over. */
  deadlineMs(board: Board): number | null;
  /** `action` fits its schema. @throws NOT_YOUR_TURN, ILLEGAL_ACTION */
  act(board: Board, userId: string, action: Action, chance: Chance): Board;
  /** The deadline has passed: what the server plays then; said in `meta.description`. */
  timeout(board: Board, chance: Chance): Board;
  /** What everyone may see, spectators too. */
  view(board: Board): object;
  /** What only this player may see. */
  viewFor(board: Board, userId: string): object;
  /** In the order of the lobby. */
  standings(board: Board): readonly Standing[];
  isOver(board: Board): boolean;
}

/** Places by score, highest first; equal scores share a place. */
export function placesByScore(scores: readonly { userId: string; score: number }[]): Standing[] {
  return scores.map(({ userId, score }) => ({
    userId,
    score,
    place: 1 + scores.filter((other) => other.score > score).length,
  }));
}
