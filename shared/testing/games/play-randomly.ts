import { extensionGame } from "#shared/domain/live/games/extension-game.ts";
import type { Position } from "#shared/domain/live/games/game.ts";
import { newSeed, SeededRandom } from "#shared/domain/live/games/random.ts";
import { type GameAction, takeAction } from "#shared/extension/game.ts";
import { type AskRules, performRules } from "#shared/extension/perform-rules.ts";
import { DomainError } from "#shared/kernel/domain-error.ts";
import { newId } from "#shared/kernel/ids.ts";
import { type Choose, chooser, type OpenGame } from "./play-game.ts";

const stepsMax = 5000;

function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const part of Object.values(Object.freeze(value))) frozen(part);
  return value;
}

/** Asks rules that may neither change a state, nor use the clock or randomness of the machine. */
const strictly =
  (rules: OpenGame): AskRules =>
  (request, random) => {
    const { now } = Date;
    const { random: anyNumber } = Math;
    const refuse = (what: string) => () => {
      throw new Error(`the rules use ${what}, not what they are given`);
    };
    Object.assign(Date, { now: refuse("Date.now") });
    Object.assign(Math, { random: refuse("Math.random") });
    try {
      return performRules(rules, frozen(request), random);
    } finally {
      Object.assign(Date, { now });
      Object.assign(Math, { random: anyNumber });
    }
  };

/**
 * Plays games to their ends by random actions and timeouts, with all numbers of players.
 * @throws Error that says what is wrong with the rules
 */
export function playRandomly(rules: unknown, games = 100): void {
  const game = rules as OpenGame;
  for (let number = 0; number < games; number += 1) {
    const { min_players, max_players } = game.meta;
    const count = min_players + (number % (max_players - min_players + 1));
    try {
      playOne(game, Array.from({ length: count }, newId), chooser(number));
    } catch (error) {
      throw error instanceof DomainError && error.cause instanceof Error ? error.cause : error;
    }
  }
}

function playOne(rules: OpenGame, players: readonly string[], choose: Choose): void {
  const game = extensionGame(rules, strictly(rules), () => true);
  const random = new SeededRandom(newSeed());
  let nowMs = Date.now();
  // Rules at hand answer at once.
  let position = game.start(players, { random, nowMs }) as Position;
  for (let steps = 0; !position.isOver; steps += 1) {
    if (steps > stepsMax) throw new Error("the game doesn't end");
    const legal = players.flatMap((userId) =>
      rules.legal(position.state, userId).map((action) => ({ userId, action })),
    );
    if (legal.length > 0) assertRefused(rules, position.state, players, legal[choose(legal.length)]!.action);
    if (legal.length === 0 || choose(10) === 0) {
      nowMs = position.deadlineMs!;
      position = game.timeout(position, { random, nowMs }) as Position;
      continue;
    }
    const { userId, action } = legal[choose(legal.length)]!;
    nowMs = Math.min(nowMs + 500, position.deadlineMs!);
    position = game.act(position, userId, action, { random, nowMs }) as Position;
  }
}

/** What is legal for one player must be refused to those for whom it isn't. */
function assertRefused(rules: OpenGame, state: object, players: readonly string[], action: GameAction): void {
  const text = JSON.stringify(action);
  for (const userId of players) {
    if (rules.legal(state, userId).some((one) => JSON.stringify(one) === text)) continue;
    try {
      takeAction(rules, state, userId, action, { random: { below: () => 0 }, nowMs: 0 });
    } catch (error) {
      if (error instanceof DomainError) continue;
      throw error;
    }
    throw new Error(`the action ${text} isn't legal for a player, and isn't refused`);
  }
}
