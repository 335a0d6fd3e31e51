import { connectedAmong } from "#shared/domain/live/games/games.queries.ts";
import { logger } from "#shared/kernel/logger.ts";
import { engine } from "../../engine.ts";

/** A game that needs to know which of its players are connected. */
export interface Watched {
  readonly playerIds: readonly string[];
  /**
   * `online`: the connected players of all games, its own included. Called when one of them came or
   * went, and every three seconds; never throws.
   */
  seen(online: ReadonlySet<string>): void;
}

const lookMs = 3000;

/**
 * Finds which players are connected, over any transport of any process, with one query for all games of this process.
 */
class PlayerWatch {
  /** Each with what ends that other processes tell this one of its players. */
  readonly #games = new Map<Watched, () => void>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;
  #lookAgain = false;

  add(game: Watched): void {
    this.#games.set(game, engine().fanout.watchPresence(game.playerIds));
    this.#timer ??= setInterval(() => void this.#look(), lookMs);
  }

  remove(game: Watched): void {
    this.#games.get(game)?.();
    this.#games.delete(game);
    if (this.#games.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Tells it that these users came or went, which is already stored. */
  wake(userIds: readonly string[]): void {
    const changed = new Set(userIds);
    if (![...this.#games.keys()].some(({ playerIds }) => playerIds.some((id) => changed.has(id)))) return;
    if (this.#looking) this.#lookAgain = true;
    else void this.#look();
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    this.#lookAgain = false;
    try {
      const games = [...this.#games.keys()];
      const online = await connectedAmong([...new Set(games.flatMap(({ playerIds }) => playerIds))]);
      for (const game of games) game.seen(online);
    } catch (error) {
      logger.warn({ err: error }, "connected players could not be read");
    } finally {
      this.#looking = false;
      if (this.#lookAgain) void this.#look();
    }
  }
}

/** The players of all games of this process. */
export const playerWatch = new PlayerWatch();
