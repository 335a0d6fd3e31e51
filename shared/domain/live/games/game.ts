import type { GameSpec } from "#shared/contracts/games/game-spec.ts";
import {
  type AnyRules,
  type AnyShape,
  type GameAction,
  isOver,
  type Standing,
  type Turn,
  takeAction,
  turnOf,
} from "#shared/extension/game.ts";
import type { Later } from "#shared/kernel/later.ts";
import type { SeededRandom } from "./random.ts";

/** A game at one moment: its state, and what follows from that. */
export interface Position {
  /** What is stored: plain JSON, never mutated. */
  readonly state: object;
  readonly turn: Turn | null;
  readonly deadlineMs: number | null;
  readonly standings: readonly Standing[];
  readonly isOver: boolean;
  /** What everyone may see. */
  readonly board: object;
  /** What only this player may see. */
  you(userId: string): object;
}

/** What the rules may use now. Random numbers continue after those already drawn. */
export interface SeededChance {
  readonly random: SeededRandom;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** A game as it is played. Rules in another process answer later. */
export interface Game extends GameSpec {
  /** Returns whether games of it may begin. */
  isOn(): boolean;
  /** `players`: in the order of the lobby; as many as `meta` allows. */
  start(players: readonly string[], chance: SeededChance): Later<Position>;
  /** `action` has been validated. @throws NOT_YOUR_TURN, ILLEGAL_ACTION */
  act(from: Position, userId: string, action: GameAction, chance: SeededChance): Later<Position>;
  /** Plays for the server once the deadline has passed. */
  timeout(from: Position, chance: SeededChance): Later<Position>;
  /** Returns the position of a stored state. */
  at(state: object, players: readonly string[]): Later<Position>;
}

/** What follows from a state by rules of our own, found when it is asked for. */
export class OwnPosition implements Position {
  readonly state: object;
  readonly #rules: AnyRules;

  constructor(rules: AnyRules, state: object) {
    this.#rules = rules;
    this.state = state;
  }

  get turn(): Turn | null {
    return turnOf(this.#rules, this.state);
  }

  get deadlineMs(): number | null {
    return this.#rules.deadlineMs(this.state);
  }

  get standings(): readonly Standing[] {
    return this.#rules.end(this.state);
  }

  get isOver(): boolean {
    return isOver(this.#rules, this.state);
  }

  get board(): object {
    return this.#rules.view.board(this.state);
  }

  you(userId: string): object {
    return this.#rules.view.you(this.state, userId);
  }
}

/** A game whose rules are ours, and trusted. */
export const ownGame = (game: AnyShape & AnyRules): Game => ({
  ...game,
  isOn: () => true,
  start: (players, chance) => new OwnPosition(game, game.setup(players, chance)),
  act: ({ state }, userId, action, chance) => new OwnPosition(game, takeAction(game, state, userId, action, chance)),
  timeout: ({ state }, chance) => new OwnPosition(game, game.timeout(state, chance)),
  at: (state) => new OwnPosition(game, state),
});
