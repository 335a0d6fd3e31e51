import Joi from "joi";
import type { AnyShape, Standing, Turn } from "#shared/extension/game.ts";
import type { AskRules, RulesRequest, Seen } from "#shared/extension/perform-rules.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { andThen, type Later } from "#shared/kernel/later.ts";
import type { Game, Position, SeededChance } from "./game.ts";

/** A state is stored with every action. In UTF-16 units of its JSON. */
const stateMax = 50_000;
/** A turn, or a pause of the game, takes at least this long, milliseconds. */
const turnMinMs = 500;

/** The rules of an extension's game failed: they are wrong, too slow, or need too much. `cause` says why. */
export class RulesFailure extends DomainError {
  constructor(cause: unknown) {
    super("GAME_FAILED");
    this.cause = cause;
  }
}

/** What players are refused with. Anything else that rules throw is a failure. */
const refusals: ReadonlySet<string> = new Set(["ILLEGAL_ACTION", "NOT_YOUR_TURN", "ENGINE_UNAVAILABLE"]);

function failed(error: unknown): never {
  throw error instanceof DomainError && refusals.has(error.code) ? error : new RulesFailure(error);
}

class SeenPosition implements Position {
  readonly state: object;
  readonly turn: Turn | null;
  readonly deadlineMs: number | null;
  readonly standings: readonly Standing[];
  readonly isOver: boolean;
  readonly board: object;
  readonly players: readonly string[];
  readonly #you: readonly object[];

  constructor({ you, ...seen }: Seen, players: readonly string[]) {
    this.state = seen.state;
    this.turn = seen.turn;
    this.deadlineMs = seen.deadlineMs;
    this.standings = seen.standings;
    this.isOver = seen.standings.every(({ place }) => place !== null);
    this.board = seen.board;
    this.players = players;
    this.#you = you;
  }

  you(userId: string): object {
    return this.#you[this.players.indexOf(userId)]!;
  }
}

/** What follows from a state, but for the people in it. */
const seenSchema = ({ state, board, you, actions, meta }: AnyShape) =>
  Joi.object({
    state,
    board,
    you: Joi.array().items(you),
    turn: Joi.object({
      userId: Joi.string(),
      allowed: Joi.array()
        .items(Joi.valid(...Object.keys(actions)))
        .min(1),
    }).allow(null),
    deadlineMs: Joi.number().integer().min(0).max(4e12).allow(null),
    standings: Joi.array().items(
      Joi.object({
        userId: Joi.string(),
        score: Joi.number().integer().min(-1e9).max(1e9),
        place: Joi.number().integer().min(1).max(meta.max_players).allow(null),
      }),
    ),
  }).prefs({ convert: false, presence: "required", errors: { wrap: { label: "`" } } });

/** Returns what is wrong with what rules made, beyond its shape. */
function problemOf({ turn, deadlineMs, standings }: Seen, { players, nowMs, ...asked }: RulesRequest) {
  if (standings.length !== players.length || standings.some(({ userId }, index) => userId !== players[index]))
    return "`end` has a standing for each player, in the order of the lobby";
  if (turn && !players.includes(turn.userId)) return "`turn` returns a player or null";
  const isOver = standings.every(({ place }) => place !== null);
  if (!isOver && deadlineMs === null) return "the game isn't over and has no deadline";
  const begins = asked.do === "setup" || asked.do === "timeout";
  return !isOver && begins && deadlineMs! < nowMs + turnMinMs
    ? "the deadline is half a second away, or more"
    : undefined;
}

/** A game of an extension. What its rules get and return is copied, and checked. */
export function extensionGame(shape: AnyShape, ask: AskRules, isOn: () => boolean): Game {
  const { state: _state, ...spec } = shape;
  const schema = seenSchema(shape);

  function positionOf(request: RulesRequest, given: Seen): Position {
    const text = JSON.stringify(given);
    if (text.length > 4 * stateMax || JSON.stringify(given.state).length > stateMax)
      throw new Error(`the state is longer than ${stateMax} characters`);
    const seen = JSON.parse(text) as Seen;
    const problem = schema.validate(seen).error?.message ?? problemOf(seen, request);
    if (problem) throw new Error(problem);
    return new SeenPosition(seen, request.players);
  }

  function asked(request: RulesRequest, chance?: SeededChance): Later<Position> {
    try {
      const position = andThen(ask(structuredClone(request), chance?.random), (seen) => positionOf(request, seen));
      return position instanceof Promise ? position.catch(failed) : position;
    } catch (error) {
      return failed(error);
    }
  }

  const after = (from: Position) => ({ state: from.state, players: (from as SeenPosition).players });
  return {
    ...spec,
    isOn,
    start: (players, chance) => asked({ do: "setup", players, nowMs: chance.nowMs }, chance),
    act: (from, userId, action, chance) =>
      asked({ ...after(from), do: "act", userId, action, nowMs: chance.nowMs }, chance),
    timeout: (from, chance) => asked({ ...after(from), do: "timeout", nowMs: chance.nowMs }, chance),
    at: (state, players) => asked({ do: "see", state, players, nowMs: 0 }),
  };
}
