import fc from "fast-check";
import { SeededRandom } from "#shared/domain/live/games/random.ts";
import {
  type AnyGame,
  type AnyRules,
  type AnyShape,
  type GameAction,
  type GameRules,
  isOver,
  type Playable,
  takeAction,
} from "#shared/extension/game.ts";

/** Returns an integer from 0 to `below` - 1. */
export type Choose = (below: number) => number;

/**
 * Returns a reproducible sequence of choices (a linear congruential generator), so that failing games can be replayed.
 */
export function chooser(number: number): Choose {
  let state = number >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** A game whose rules are at hand. */
export type OpenGame = AnyShape & AnyRules;

/** The same, with the type of its state. */
type OpenGameOf<State extends object> = Playable<State> &
  Pick<AnyShape, "meta"> &
  Pick<GameRules<never, State, object, object>, "setup" | "deadlineMs" | "timeout">;

/** Players who find matches more often than by chance, so that games of memory make progress. */
export function lucky(game: OpenGame, isLucky: () => boolean): OpenGame {
  if (game.meta.type !== "memory") return game;
  return {
    ...game,
    legal: (board, userId) => {
      const all = game.legal(board, userId);
      const { cards } = board as { cards: { face: string; state: string }[] };
      const open = cards.find(({ state }) => state === "open");
      const fits = all.filter((action) => cards[(action as unknown as { card: number }).card]!.face === open?.face);
      return fits.length > 0 && isLucky() ? fits : all;
    },
  };
}

/** A change of a game. */
export interface GameStep<Board extends object> {
  readonly before: Board;
  readonly after: Board;
  /** The player who acted. Undefined: the server, after a timeout. */
  readonly by?: { readonly userId: string; readonly action: GameAction };
  readonly nowMs: number;
}

export interface GameToPlay {
  readonly players: readonly string[];
  readonly seed: string;
  readonly choose: Choose;
}

const stepsMax = 20_000;

/**
 * Plays a game to its end with random legal actions and occasional timeouts. Serializes the board between steps, as
 * happens when an actor stores it and another one loads it.
 */
export function playGame<Board extends object>(
  game: OpenGameOf<Board>,
  { players, seed, choose }: GameToPlay,
  onStep: (step: GameStep<Board>, random: SeededRandom) => void = () => {},
): Board {
  const random = new SeededRandom(seed);
  let nowMs = 1_800_000_000_000;
  let board = game.setup(players, { random, nowMs });
  for (let steps = 0; !isOver(game, board); steps += 1) {
    if (steps > stepsMax) throw new Error("the game does not end");
    const before = board;
    const able = players.filter((userId) => game.legal(before, userId).length > 0);
    let by: GameStep<Board>["by"];
    if (able.length === 0 || choose(10) === 0) {
      nowMs = game.deadlineMs(before)!;
      board = game.timeout(before, { random, nowMs });
    } else {
      nowMs += 500;
      const userId = able[choose(able.length)]!;
      const legal = game.legal(before, userId);
      const action = legal[choose(legal.length)]!;
      by = { userId, action };
      board = takeAction(game, before, userId, action, { random, nowMs });
    }
    board = JSON.parse(JSON.stringify(board)) as Board;
    onStep({ before, after: board, ...(by && { by }), nowMs }, random);
  }
  return board;
}

const people = ["a", "b", "c", "d", "e", "f", "g", "h"];

/** An arbitrary game of this type: number of players, seed, and choices. */
export const anyGame = ({ meta }: Pick<AnyGame, "meta">): fc.Arbitrary<GameToPlay> =>
  fc.record({
    players: fc.integer({ min: meta.min_players, max: meta.max_players }).map((count) => people.slice(0, count)),
    seed: fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString("hex")),
    choose: fc.integer().map(chooser),
  });
