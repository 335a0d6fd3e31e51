import { connectedAmong } from "#shared/domain/games/games.queries.ts";
import { logger } from "#shared/kernel/logger.ts";

/** A game that wants to know which of its players are connected. */
export interface Watched {
  readonly playerIds: readonly string[];
  /** `online`: its players who are connected, and those of other games. Called every three seconds; never throws. */
  seen(online: ReadonlySet<string>): void;
}

const lookMs = 3000;

/** Finds which players are connected, over any transport of any process, with one query for all games of this process. */
export class PlayerWatch {
  readonly #games = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;
  #looking = false;

  add(game: Watched): void {
    this.#games.add(game);
    this.#timer ??= setInterval(() => void this.#look(), lookMs);
  }

  remove(game: Watched): void {
    this.#games.delete(game);
    if (this.#games.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#looking) return;
    this.#looking = true;
    try {
      const games = [...this.#games];
      const online = await connectedAmong([...new Set(games.flatMap(({ playerIds }) => playerIds))]);
      for (const game of games) game.seen(online);
    } catch (error) {
      logger.warn({ err: error }, "connected players could not be read");
    } finally {
      this.#looking = false;
    }
  }
}
