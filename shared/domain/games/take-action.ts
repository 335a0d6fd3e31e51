import type { Actors } from "#shared/contracts/actors.ts";
import type { GameActionInput } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Session } from "#shared/contracts/views/game-views.ts";
import { unwrap } from "#shared/kernel/domain-error.ts";

/** Takes an action in a game through its actor. @throws the error of the game's actor */
export async function takeAction(
  actors: Actors,
  caller: UserPrincipal,
  sessionId: string,
  { action_id, ...action }: GameActionInput & { action_id?: string },
): Promise<Session> {
  const input = { action, ...(action_id !== undefined && { action_id }) };
  return unwrap(await actors.game(sessionId, caller, "game:action", input));
}
