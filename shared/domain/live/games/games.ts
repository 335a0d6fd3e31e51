import type { AnyRules, AnyShape } from "#shared/extension/game.ts";
import { isOn, loadedExtensions } from "#shared/extension/loaded.ts";
import { extensionGame } from "./extension-game.ts";
import { type Game, ownGame } from "./game.ts";
import { ludo } from "./ludo/ludo.rules.ts";
import { memory } from "./memory/memory.rules.ts";
import { snakesAndLadders } from "./snakes-and-ladders/snakes-and-ladders.rules.ts";
import { trivia } from "./trivia/trivia.rules.ts";
import { truthOrDare } from "./truth-or-dare/truth-or-dare.rules.ts";

/** Their types differ in their states and actions, which only their own rules access. */
const ours = [ludo, snakesAndLadders, trivia, memory, truthOrDare] as unknown as readonly (AnyShape & AnyRules)[];
export const ownGames = new Map(ours.map((game) => [game.meta.type, game]));

const further = loadedExtensions.flatMap((extension) =>
  extension.games.map(({ shape, ask }) => extensionGame(shape, ask, () => isOn(extension))),
);

/** All games, as they are played. */
export const games: ReadonlyMap<string, Game> = new Map(
  [...ours.map(ownGame), ...further].map((game) => [game.meta.type, game]),
);

/** Those that may begin: the games of extensions that are switched off may not. */
export const gamesOn = (): Game[] => [...games.values()].filter((game) => game.isOn());
