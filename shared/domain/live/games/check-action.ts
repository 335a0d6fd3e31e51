import Joi from "joi";
import { checkInput } from "#shared/contracts/check-input.ts";
import { type Fields, object } from "#shared/contracts/fields.ts";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { GameAction } from "#shared/extension/game.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import type { Game } from "./game.ts";
import { games } from "./games.ts";

/** The schema of each kind of action of each game, built once: building costs more than validating. */
const schemas = new Map(
  [...games.values()].map((game) => [
    game,
    new Map(
      Object.entries<Fields>(game.actions).map(([kind, fields]) => [kind, object({ ...fields, kind: Joi.string() })]),
    ),
  ]),
);

/** Returns the ID of an action as it was sent, beside it or in it. */
export const actionIdOf = ({ action, action_id }: SentAction): string | undefined => action_id ?? action.action_id;

interface SentAction {
  readonly action: GameActionInput;
  readonly action_id?: string | undefined;
}

/**
 * Validates an action.
 * @throws ILLEGAL_ACTION for a kind that the game doesn't have, VALIDATION_ERROR for fields that don't fit the kind
 */
export function checkAction(game: Game, { action_id: _id, ...action }: GameActionInput): GameAction {
  const kinds = schemas.get(game);
  const schema = kinds?.get(action.kind);
  if (!schema)
    throw new DomainError("ILLEGAL_ACTION", "Unknown action. This game has the actions {{actions}}.", {
      values: { actions: [...(kinds?.keys() ?? [])].join(", ") },
    });
  return checkInput(schema, action);
}
