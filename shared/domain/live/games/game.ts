import type { Infer } from "#shared/contracts/fields.ts";
import type { ActionOf, GameSpec } from "#shared/contracts/games/game-spec.ts";
import type { Random } from "./random.ts";

/** A player's standing. Places start at 1, and equal scores share one. Null while undecided. */
export interface Standing {
  readonly userId: string;
  readonly score: number;
  readonly place: number | null;
}

/** Whose turn it is, and which kinds of action they may take. */
export interface Turn {
  readonly userId: string;
  readonly allowed: readonly string[];
}

export interface GameAction {
  readonly kind: string;
}

/** What the rules may use of the outside world. */
export interface Chance {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The rules of one game, pure: they take a board and return the next one, or throw a DomainError (NOT_YOUR_TURN,
 * ILLEGAL_ACTION) and change nothing. A board is plain JSON, never mutated. It is stored after every action, and a game
 * resumes from it after a crash. To add a game, add what its clients see (`contracts/games`), a folder with such an
 * object, and its line in `games.ts` of both.
 */
export interface Game<
  Board extends object = object,
  Action extends GameAction = GameAction,
  View extends object = object,
  You extends object = object,
> extends GameSpec {
  /** `players`: in the order of the lobby; as many as `meta` allows. */
  start(players: readonly string[], chance: Chance): Board;
  /** Null if all may act at once, or the game is over. */
  turn(board: Board): Turn | null;
  /** The kinds of action that this player may take now; empty if it isn't their turn. */
  legal(board: Board, userId: string): readonly Action[];
  /** When the server acts on behalf of a player, in milliseconds since 1970; null once the game is over. */
  deadlineMs(board: Board): number | null;
  /** `action` has been validated. @throws NOT_YOUR_TURN, ILLEGAL_ACTION */
  act(board: Board, userId: string, action: Action, chance: Chance): Board;
  /** Plays for the server once the deadline has passed, as described in `meta.description`. */
  timeout(board: Board, chance: Chance): Board;
  /** The state that everyone may see, spectators included. */
  view(board: Board): View;
  /** The state that only this player may see. */
  viewFor(board: Board, userId: string): You;
  /** In the order of the lobby. */
  standings(board: Board): readonly Standing[];
  isOver(board: Board): boolean;
}

/** The rules of a game whose clients see what `Spec` says. */
export type GameOf<Spec extends GameSpec, Board extends object> = Game<
  Board,
  ActionOf<Spec>,
  Infer<Spec["board"]>,
  Infer<Spec["you"]>
>;

/** Ranks scores, highest first. Equal scores share a place. No player has one until the game is over. */
export function placesByScore(scores: readonly { userId: string; score: number }[], isOver: boolean): Standing[] {
  return scores.map(({ userId, score }) => ({
    userId,
    score,
    place: isOver ? 1 + scores.filter((other) => other.score > score).length : null,
  }));
}
