import type Joi from "joi";
import type { Fields, InferFields } from "#shared/contracts/fields.ts";
import type { GameMeta } from "#shared/contracts/games/game-spec.ts";
import { DomainError, type Values } from "#shared/kernel/domain-error.ts";

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

/** The source of a game's random numbers. */
export interface Random {
  /**
   * Draws a whole number from 0 to `below` - 1, all equally likely. `purpose` is for the proof, which also includes
   * `below`.
   */
  below(below: number, purpose: string): number;
}

/** What the rules may use of the outside world. */
export interface Chance {
  readonly random: Random;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** The kinds of action of a game, each with its fields besides `kind`. */
type Kinds = Readonly<Record<string, Fields>>;
type Taken<Actions extends Kinds> = {
  [Kind in keyof Actions & string]: { readonly kind: Kind } & Readonly<InferFields<Actions[Kind]>>;
}[keyof Actions & string];

/** What a game is made of: what its clients see and send, and what is stored of it. */
export interface GameShape<Actions extends Kinds, State extends object, Board extends object, You extends object> {
  readonly meta: GameMeta;
  readonly actions: Actions;
  /** Everything that is known of a game, hidden or not: plain JSON. */
  readonly state: Joi.ObjectSchema<State>;
  /** What everyone may see, spectators included. */
  readonly board: Joi.ObjectSchema<Board>;
  /** What only one player may see. */
  readonly you: Joi.ObjectSchema<You>;
}

/**
 * The rules of a game, pure: they take a state and return the next one, or throw (`notYourTurn`, `illegal`) and change
 * nothing. A state is never mutated. It is stored after every action, and a game resumes from it after a crash.
 */
export interface GameRules<Actions extends Kinds, State extends object, Board extends object, You extends object> {
  /** `players`: in the order of the lobby; as many as `meta` allows. */
  setup(players: readonly string[], chance: Chance): State;
  /** Returns whose turn it is; null if all may act at once, none can, or the game is over. */
  turn(state: State): string | null;
  /** The actions that this player may take now; empty if it isn't their turn. */
  legal(state: State, userId: string): readonly Taken<Actions>[];
  /** When the server acts on behalf of a player, in milliseconds since 1970; null once the game is over. */
  deadlineMs(state: State): number | null;
  /** What each kind of action does. Its fields have been validated, and another player's turn is refused before. */
  readonly rules: {
    readonly [Kind in keyof Actions]: (
      state: State,
      userId: string,
      action: Readonly<InferFields<Actions[Kind]>>,
      chance: Chance,
    ) => State;
  };
  /** Plays for the server once the deadline has passed, as described in `meta.description`. */
  timeout(state: State, chance: Chance): State;
  readonly view: {
    board(state: State): Board;
    /** What is in neither view of a player never leaves the server. */
    you(state: State, userId: string): You;
  };
  /**
   * The standing of each player, in the order of the lobby. The game is over once all of them have a place. In a draw,
   * all have place 1.
   */
  end(state: State): readonly Standing[];
}

/** The rules of a game of this shape, for a module of their own. */
export type RulesOf<Shape> =
  Shape extends GameShape<infer Actions, infer State, infer Board, infer You>
    ? GameRules<Actions, State, Board, You>
    : never;

/** The module whose default export are the rules. They run in a process of their own, bound in time and memory. */
interface Isolated {
  readonly isolated: URL;
}

/** Any game, whose types differ in what only its own rules access. */
export type AnyShape = GameShape<Kinds, object, object, object>;
export type AnyRules = GameRules<Kinds, object, object, object>;
export type AnyGame = AnyShape & (AnyRules | Isolated);

/** Defines a game. Types follow from the schemas, not from what the rules happen to return. */
export function defineGame<
  const Actions extends Kinds,
  State extends object,
  Board extends object,
  You extends object,
  How extends GameRules<Actions, NoInfer<State>, NoInfer<Board>, NoInfer<You>> | Isolated,
>(
  game: GameShape<Actions, State, Board, You> & How,
): GameShape<Actions, State, Board, You> & (How extends Isolated ? Isolated : GameRules<Actions, State, Board, You>) {
  return game as never;
}

export const notYourTurn = (): DomainError => new DomainError("NOT_YOUR_TURN");

/** An action that isn't allowed now. `text`: in English, with placeholders for `values`. */
export const illegal = (text: string, values?: Values): DomainError =>
  new DomainError("ILLEGAL_ACTION", text, values && { values });

/** The rules that say who does what, whatever the types of the actions. */
export interface Playable<State extends object> {
  turn(state: State): string | null;
  legal(state: State, userId: string): readonly GameAction[];
  readonly rules: object;
  end(state: State): readonly Standing[];
}

/** Returns whether the game is over. */
export const isOver = <State extends object>(game: Pick<Playable<State>, "end">, state: State): boolean =>
  game.end(state).every(({ place }) => place !== null);

/** Returns whose turn it is, with what they may do. */
export function turnOf<State extends object>(game: Pick<Playable<State>, "turn" | "legal">, state: State): Turn | null {
  const userId = game.turn(state);
  return userId === null ? null : { userId, allowed: [...new Set(game.legal(state, userId).map(({ kind }) => kind))] };
}

/** Returns the state after an action, which has been validated. @throws NOT_YOUR_TURN, or what its rule throws */
export function takeAction<State extends object>(
  game: Pick<Playable<State>, "turn" | "rules">,
  state: State,
  userId: string,
  action: GameAction,
  chance: Chance,
): State {
  const whose = game.turn(state);
  if (whose !== null && whose !== userId) throw notYourTurn();
  const rules = game.rules as Readonly<Record<string, (...given: unknown[]) => State>>;
  return rules[action.kind]!(state, userId, action, chance);
}

/** Ranks scores, highest first. Equal scores share a place. No player has one until the game is over. */
export function placesByScore(scores: readonly { userId: string; score: number }[], isOver: boolean): Standing[] {
  return scores.map(({ userId, score }) => ({
    userId,
    score,
    place: isOver ? 1 + scores.filter((other) => other.score > score).length : null,
  }));
}

/** Rolls a die: 1 to 6. */
export const rollDie = (random: Random): number => random.below(6, "die") + 1;

/** Returns the items in a random order (Fisher and Yates, from the end), with one draw for each but the first. */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  const shuffled = [...items];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1, "shuffle");
    [shuffled[last], shuffled[other]] = [shuffled[other]!, shuffled[last]!];
  }
  return shuffled;
}
