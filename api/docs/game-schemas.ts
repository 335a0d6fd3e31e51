import Joi from "joi";
import { type Fields, nullable, object } from "#shared/contracts/fields.ts";
import { games } from "#shared/domain/games/games.ts";
import { type NamedSchemas, pascalCase, toJsonSchema } from "./json-schema.ts";

/** What each game has of its own: `LudoSession` says its rules and what is in a session's `board` and `you`, `LudoAction` what it takes. */
export function addGameSchemas(named: NamedSchemas): void {
  for (const { meta, actions, board, you } of games.values()) {
    const name = pascalCase(meta.type);
    const shown = toJsonSchema(object({ board, you: nullable(you) }), "output", named);
    named.set(`${name}Session`, { description: meta.description, ...shown });
    const kinds = Object.entries<Fields>(actions).map(([kind, fields]) =>
      object({ kind: Joi.string().valid(kind), ...fields }),
    );
    named.set(`${name}Action`, { anyOf: kinds.map((kind) => toJsonSchema(kind, "input", named)) });
  }
}
