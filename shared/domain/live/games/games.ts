import type { Game } from "./game.ts";
import { ludo } from "./ludo/ludo.rules.ts";
import { memory } from "./memory/memory.rules.ts";
import { snakesAndLadders } from "./snakes-and-ladders/snakes-and-ladders.rules.ts";
import { trivia } from "./trivia/trivia.rules.ts";
import { truthOrDare } from "./truth-or-dare/truth-or-dare.rules.ts";

/** All games. Their types differ in their boards and actions, which only their own rules access. */
const all = [ludo, snakesAndLadders, trivia, memory, truthOrDare] as unknown as readonly Game[];

export const games: ReadonlyMap<string, Game> = new Map(all.map((game) => [game.meta.type, game]));
