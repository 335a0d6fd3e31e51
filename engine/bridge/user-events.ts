import { type UserAction, type UserInputs, type UserReplies, userActions } from "#shared/contracts/actions.ts";
import type { Caller } from "#shared/contracts/caller.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { LobbyAction } from "#shared/contracts/game-actions.ts";
import type { Lobby } from "#shared/contracts/views/game-views.ts";
import { accessPeer } from "#shared/domain/conversations/conversations.policy.ts";
import { endOfRepeated } from "#shared/domain/games/games.queries.ts";
import { type Result, unwrap } from "#shared/kernel/domain-error.ts";
import { gameKind, lobbyKind } from "../core/kinds.ts";
import { engine } from "../engine.ts";

/** What carries out each event that concerns no voice room, over whichever door it came. Throws what it refuses with. */
type Performers = { readonly [A in UserAction]: (caller: Caller, input: UserInputs[A]) => Promise<UserReplies[A]> };

const performers: Performers = {
  "typing:dm": async ({ userId }, { conversation_id, typing }) => {
    const peerId = await accessPeer(userId, conversation_id);
    const payload = { conversation_id, user_id: userId, typing };
    engine().fanout.toUsers([peerId], "typing:dm", payload, { volatile: true });
    return {};
  },
  "lobby:join": (caller, input) => askLobby(caller, "lobby:join", input),
  "lobby:ready": (caller, input) => askLobby(caller, "lobby:ready", input),
  "lobby:leave": (caller, input) => askLobby(caller, "lobby:leave", input),
  "lobby:start": (caller, input) => askLobby(caller, "lobby:start", input),
  "game:action": async (caller, input) => {
    const { session_id, action_id } = input;
    const answer = await engine().directory.call(gameKind, session_id, { caller, action: "game:action", input });
    const ended = answer.ok ? undefined : await endOfRepeated(answer, session_id, caller.userId, action_id);
    return ended ?? (unwrap(answer) as UserReplies["game:action"]);
  },
};

async function askLobby(caller: Caller, action: LobbyAction, input: { lobby_id: string }): Promise<Lobby> {
  return unwrap(await engine().directory.call(lobbyKind, input.lobby_id, { caller, action, input })) as Lobby;
}

export const isUserEvent = (event: string): event is UserAction => Object.hasOwn(userActions, event);

/** Checks and carries out one event of somebody whom the door has authenticated. @throws what refuses it */
export async function performUserEvent<A extends UserAction>(
  caller: Caller,
  event: A,
  payload: unknown,
): Promise<Result<UserReplies[A]>> {
  const input = checkInput<UserInputs[A]>(userActions[event].payload.required(), payload);
  return { ok: true, value: await performers[event](caller, input) };
}
