import type { Actors } from "#shared/contracts/actors.ts";
import { service } from "#shared/contracts/principal.ts";
import { defineJob } from "#shared/db/jobs.ts";
import { idleLobbies } from "#shared/domain/games/lobby-state.ts";
import { abandonedByActors } from "#shared/domain/games/session-state.ts";
import { logger } from "#shared/kernel/logger.ts";

/** A lobby that nobody joins, leaves or gets ready in for so long is cancelled. */
const idleMinutes = 30;

/** What lobbies and games need from outside once a minute. */
export const tendGamesJob = defineJob("games.tend", {
  retries: 0,
  retryMaxSeconds: 10,
  timeoutSeconds: 50,
  exclusive: true,
});

/**
 * Cancels lobbies that are idle, and has actors made anew for games whose own have gone with their process: the clocks of
 * those stand still until somebody asks for them. What fails comes again in a minute.
 */
export async function tendGames(actors: Pick<Actors, "lobby" | "game">): Promise<void> {
  const lobbies = await idleLobbies(idleMinutes);
  for (const id of lobbies) report("lobby", id, await actors.lobby(id, service, "lobby:cancel", {}));
  for (const id of await abandonedByActors()) report("game", id, await actors.game(id, service, "game:tend", {}));
}

function report(what: string, id: string, answer: { ok: boolean; code?: string }): void {
  // It may have begun, or ended, by itself meanwhile.
  if (answer.ok || answer.code === "LOBBY_NOT_OPEN" || answer.code === "SESSION_FINISHED") return;
  logger.warn({ id, code: answer.code }, `a ${what} could not be tended`);
}
