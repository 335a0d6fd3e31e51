import type { Actors } from "#shared/contracts/actors.ts";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Session } from "#shared/contracts/views/game-views.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";
import { endOfRepeated } from "./games.queries.ts";

/**
 * Takes an action in a game through its actor. An action that ended the game and is sent again gets the game as it ended.
 * @throws the error of the game's actor
 */
export async function takeAction(
  actors: Actors,
  caller: UserPrincipal,
  sessionId: string,
  { action_id, ...action }: GameActionInput & { action_id?: string },
): Promise<Session> {
  const input = { action, ...(action_id !== undefined && { action_id }) };
  const taken = await actors.game(sessionId, caller, "game:action", input);
  const ended = taken.ok ? undefined : await endOfRepeated(taken, sessionId, caller.userId, action_id);
  return ended ?? unwrap(taken);
}
