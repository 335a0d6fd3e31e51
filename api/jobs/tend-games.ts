import type { Actors } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { idleLobbies } from "#shared/domain/live/games/lobby-state.ts";
import { abandonedByActors } from "#shared/domain/live/games/session-state.ts";
import { logger } from "#shared/kernel/logger.ts";

/** A lobby is cancelled after this time without activity. */
const idleMinutes = 30;

/** Maintenance of lobbies and games, run every minute. */
export const tendGamesJob = defineJob("games.tend", {
  retries: 0,
  retryMaxSeconds: 10,
  timeoutSeconds: 50,
  exclusive: true,
});

/**
 * Cancels idle lobbies, and creates actors for games whose actors died with their process, because their clocks stand
 * still without an actor. Failures are retried in a minute.
 */
export async function tendGames(actors: Pick<Actors, "lobby" | "game">): Promise<void> {
  const lobbies = await idleLobbies(idleMinutes);
  for (const id of lobbies) report("lobby", id, await actors.lobby(id, service, "lobby:cancel", {}));
  for (const id of await abandonedByActors()) report("game", id, await actors.game(id, service, "game:tend", {}));
}

function report(what: string, id: string, answer: { ok: boolean; code?: string }): void {
  // It may have started or ended in the meantime.
  if (answer.ok || answer.code === "LOBBY_NOT_OPEN" || answer.code === "SESSION_FINISHED") return;
  logger.warn({ id, code: answer.code }, `a ${what} could not be tended`);
}
