import { type Fields, object, oneOf, variants } from "#shared/contracts/fields.ts";
import { pascalCase } from "#shared/kernel/pascal-case.ts";
import { ludoSpec } from "./ludo.ts";
import { memorySpec } from "./memory.ts";
import { snakesAndLaddersSpec } from "./snakes-and-ladders.ts";
import { triviaSpec } from "./trivia.ts";
import { truthOrDareSpec } from "./truth-or-dare.ts";

/** Every game, as clients see it. Its rules are in `shared/domain/live/games`. */
export const gameSpecs = [ludoSpec, snakesAndLaddersSpec, triviaSpec, memorySpec, truthOrDareSpec] as const;

export type GameName = (typeof gameSpecs)[number]["meta"]["type"];
/** Each kind of action of all games, with its fields. A kind means the same in every game that has it. */
const actionKinds = Object.entries<Fields>(Object.assign({}, ...gameSpecs.map(({ actions }) => actions)));

/** An action of whichever game, by its kind, with these fields beside its own. */
export const actionVariants = (suffix: string, more: Fields = {}) =>
  variants(
    "kind",
    ...actionKinds.map(([kind, fields]) =>
      object({ kind: oneOf(kind), ...fields, ...more }).meta({ name: pascalCase(kind) + suffix }),
    ),
  );

/** The `type` of a game. */
export const gameName = oneOf(...gameSpecs.map(({ meta }) => meta.type));
