import { type Fields, object, oneOf, variants } from "#shared/contracts/fields.ts";
import { extended } from "#shared/kernel/extended.ts";
import { OperatorError } from "#shared/kernel/operator-error.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import type { GameSpec } from "./game-spec.ts";
import { ludoSpec } from "./ludo.ts";
import { memorySpec } from "./memory.ts";
import { snakesAndLaddersSpec } from "./snakes-and-ladders.ts";
import { triviaSpec } from "./trivia.ts";
import { truthOrDareSpec } from "./truth-or-dare.ts";

/** Our games, as clients see them. Their rules are in `shared/domain/live/games`. */
const ours = [ludoSpec, snakesAndLaddersSpec, triviaSpec, memorySpec, truthOrDareSpec] as const;

export type GameName = (typeof ours)[number]["meta"]["type"];

/** Every game, those of extensions included. */
export const gameSpecs: readonly GameSpec[] = Object.values(
  extended("games", Object.fromEntries<GameSpec>(ours.map((game) => [game.meta.type, game]))),
);

/** The games of extensions. */
export const furtherSpecs = gameSpecs.slice(ours.length);

/** Each kind of action of all games, with its fields. A kind means the same in every game that has it. */
const actionKinds = Object.entries(kindsOf(gameSpecs));

function kindsOf(specs: readonly GameSpec[]): Record<string, Fields> {
  const kinds: Record<string, Fields> = {};
  const told = (fields: Fields) => JSON.stringify(object(fields).describe());
  for (const { meta, actions } of specs)
    for (const [kind, fields] of Object.entries(actions)) {
      kinds[kind] ??= fields;
      if (told(kinds[kind]) !== told(fields))
        throw new OperatorError(
          `The game ${meta.type} has other fields for the action ${kind} than another: rename it.`,
        );
    }
  return kinds;
}

/** An action of whichever game, by its kind, with these fields beside its own. */
export const actionVariants = (suffix: string, more: Fields = {}) =>
  variants(
    "kind",
    ...actionKinds.map(([kind, fields]) =>
      object({ kind: oneOf(kind), ...fields, ...more }).meta({ name: pascalCase(kind) + suffix }),
    ),
  );

/** The `type` of a game. */
export const gameName = oneOf(...gameSpecs.map(({ meta }) => meta.type as GameName));
