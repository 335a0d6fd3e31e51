import type Joi from "joi";
import type { Fields } from "#shared/contracts/fields.ts";

/** The entry of a game in `GET /games/types`: everything that a client needs to draw its lobby. */
export interface GameMeta {
  readonly type: string;
  readonly name: string;
  readonly description: string;
  readonly min_players: number;
  readonly max_players: number;
  /** Time for a turn of one player (or a round of all), in seconds: what clients show. The rules decide. */
  readonly turn_seconds: number;
}

/** What clients see of a game. */
export interface GameSpec {
  readonly meta: GameMeta;
  /** Each kind of action, with its fields besides `kind`. */
  readonly actions: Readonly<Record<string, Fields>>;
  /** The state that everyone may see. */
  readonly board: Joi.ObjectSchema;
  /** The state that only one player may see. */
  readonly you: Joi.ObjectSchema;
}
