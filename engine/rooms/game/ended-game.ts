import type { InputOf } from "#shared/contracts/actors.ts";
import type { Session } from "#shared/contracts/views.ts";
import { actionIdOf } from "#shared/domain/live/games/check-action.ts";
import { endOfRepeated } from "#shared/domain/live/games/games.queries.ts";
import type { DomainError } from "#shared/kernel/domain-error.ts";
import type { Command } from "../../core/command.ts";

/** A finished game has no actor. A repeated action that it had accepted is answered with the final state. */
export async function replyOfEndedGame(
  error: DomainError,
  sessionId: string,
  { principal, action, input }: Command,
): Promise<Session | undefined> {
  if (action !== "game:action" || principal.kind !== "user") return undefined;
  const action_id = actionIdOf(input as InputOf<"game_session", "game:action">);
  return endOfRepeated(error, sessionId, principal.userId, action_id);
}
