import Joi from "joi";
import { extensionGame, type RulesFailure } from "#shared/domain/live/games/extension-game.ts";
import { newSeed, SeededRandom } from "#shared/domain/live/games/random.ts";
import type { AnyGame, AnyRules } from "#shared/extension/game.ts";
import type { GameOfExtension } from "#shared/extension/loaded.ts";
import { performRules } from "#shared/extension/perform-rules.ts";
import { clock } from "#shared/kernel/clock.ts";
import { newId } from "#shared/kernel/ids.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { isolatedRules } from "./isolated-rules.ts";

/** A schema of Joi. */
export const schema = Joi.object().custom((value, helpers) =>
  Joi.isSchema(value) ? value : helpers.error("any.invalid"),
);
const objectSchema = schema
  .custom((value: Joi.Schema, helpers) => (value.type === "object" ? value : helpers.error("any.invalid")))
  .required();
const work = Joi.function().required();
const count = (max: number) => Joi.number().integer().min(1).max(max).required();
const kinds = Joi.object().pattern(
  /^[a-z][a-z_]{0,38}[a-z]$/,
  Joi.object().pattern(
    Joi.string()
      .pattern(/^[a-z][a-z0-9_]{0,40}$/)
      .invalid("kind", "action_id"),
    schema,
  ),
);

const ruleParts = {
  ...{ setup: work, turn: work, legal: work, deadlineMs: work, timeout: work, end: work },
  rules: Joi.object().pattern(/./, Joi.function()).required(),
  view: Joi.object({ board: work, you: work }).required(),
};

/** What a game of an extension with this name may be. */
export function gameSchema(name: string): Joi.ObjectSchema {
  const shape = Joi.object({
    meta: Joi.object({
      type: Joi.string()
        .pattern(new RegExp(`^${name}(_[a-z_]*[a-z])?$`))
        .max(40)
        .required(),
      name: Joi.string().max(60).required(),
      description: Joi.string().min(3).max(500).required(),
      min_players: count(20),
      max_players: count(20).min(Joi.ref("min_players")),
      turn_seconds: count(600),
    }).required(),
    actions: kinds.min(1).required(),
    ...{ state: objectSchema, board: objectSchema, you: objectSchema },
  });
  const isolated = shape.append({ isolated: Joi.object().instance(URL).required() });
  // Errors of the one that is meant.
  const open = shape.append(ruleParts);
  return Joi.object().custom((game: object, helpers) => {
    const { error } = ("isolated" in game ? isolated : open).validate(game, { convert: false });
    return error ? helpers.message({ custom: `{{#label}}: ${error.message}` }) : game;
  });
}

/** Returns the first field that native clients can't be shown. */
function unshown({ type, keys = {}, items = [] }: Joi.Description, path = "board"): string | undefined {
  if (["string", "date", "number", "boolean"].includes(type!)) return undefined;
  if (type === "array" && items.length === 1) return unshown(items[0], `${path}[]`);
  if (type !== "object") return path;
  return Object.entries<Joi.Description>(keys)
    .map(([key, field]) => unshown(field, `${path}.${key}`))
    .find(Boolean);
}

/** Makes the games of an extension, and begins each with the fewest and the most players. @throws OperatorError */
export async function gamesOf(games: readonly AnyGame[] = []): Promise<GameOfExtension[]> {
  return Promise.all(games.map(gameOf));
}

async function gameOf(game: AnyGame): Promise<GameOfExtension> {
  const { type, min_players, max_players } = game.meta;
  const lost = "rules" in game && Object.keys(game.actions).find((kind) => !(kind in game.rules));
  if (lost) throw new OperatorError(`its game ${type} has no rule for the action ${lost}`);
  const field = unshown(game.board.describe());
  if (field)
    throw new OperatorError(`its game ${type} has a field ${field} of a type that native clients can't be shown`);
  const ask = "isolated" in game ? isolatedRules(game.isolated) : local(game);
  const { meta, actions, state, board, you } = game;
  const shape = { meta, actions, state, board, you };
  for (const players of [min_players, max_players])
    await begin(
      extensionGame(shape, ask, () => true),
      players,
    );
  return { shape, ask };
}

const local =
  (rules: AnyRules): GameOfExtension["ask"] =>
  (request, random) =>
    performRules(rules, request, random);

async function begin(game: ReturnType<typeof extensionGame>, count: number): Promise<void> {
  const chance = { random: new SeededRandom(newSeed()), nowMs: clock.now() };
  const players = Array.from({ length: count }, () => newId());
  try {
    await game.start(players, chance);
  } catch (error) {
    const { message, cause } = error as RulesFailure;
    const reason = cause instanceof Error ? cause.message : message;
    throw new OperatorError(`its game ${game.meta.type} can't begin with ${count} players: ${reason}`, {
      cause: error,
    });
  }
}
