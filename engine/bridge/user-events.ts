import type Joi from "joi";
import { type UserAction, type UserReplies, userActions } from "#shared/contracts/actions.ts";
import { checkInput } from "#shared/contracts/check-input.ts";
import type { LobbyAction } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Lobby } from "#shared/contracts/views/game-views.ts";
import { accessPeer } from "#shared/domain/conversations/conversations.policy.ts";
import { endOfRepeated } from "#shared/domain/games/games.queries.ts";
import { type Result, unwrap } from "#shared/kernel/domain-error.ts";
import { gameKind, lobbyKind } from "../core/kinds.ts";
import { engine } from "../engine.ts";

/** Checks what came and carries it out; throws what refuses it. */
type Performer = (caller: UserPrincipal, payload: unknown) => Promise<unknown>;

const performer =
  <Input, Reply>(
    { payload, reply: _reply }: { payload: Joi.ObjectSchema<Input>; reply: Joi.AnySchema<Reply> },
    run: (caller: UserPrincipal, input: Input) => Promise<NoInfer<Reply>>,
  ): Performer =>
  (caller, given) =>
    run(caller, checkInput(payload.required(), given));

/** What carries out each event that concerns no voice room, over whichever door it came. */
const performers: Readonly<Record<UserAction, Performer>> = {
  "typing:dm": performer(userActions["typing:dm"], async ({ userId }, { conversation_id, typing }) => {
    const peerId = await accessPeer(userId, conversation_id);
    const payload = { conversation_id, user_id: userId, typing };
    engine().fanout.toUsers([peerId], "typing:dm", payload, { volatile: true });
    return {};
  }),
  "lobby:join": performer(userActions["lobby:join"], (caller, input) => askLobby(caller, "lobby:join", input)),
  "lobby:ready": performer(userActions["lobby:ready"], (caller, input) => askLobby(caller, "lobby:ready", input)),
  "lobby:leave": performer(userActions["lobby:leave"], (caller, input) => askLobby(caller, "lobby:leave", input)),
  "lobby:start": performer(userActions["lobby:start"], (caller, input) => askLobby(caller, "lobby:start", input)),
  "game:action": performer(userActions["game:action"], async (caller, input) => {
    const { session_id, action_id } = input;
    const answer = await engine().directory.call(gameKind, session_id, { caller, action: "game:action", input });
    const ended = answer.ok ? undefined : await endOfRepeated(answer, session_id, caller.userId, action_id);
    return ended ?? (unwrap(answer) as UserReplies["game:action"]);
  }),
};

async function askLobby(caller: UserPrincipal, action: LobbyAction, input: { lobby_id: string }): Promise<Lobby> {
  return unwrap(await engine().directory.call(lobbyKind, input.lobby_id, { caller, action, input })) as Lobby;
}

export const isUserEvent = (event: string): event is UserAction => Object.hasOwn(userActions, event);

/** Checks and carries out one event of somebody whom the door has authenticated. @throws what refuses it */
export async function performUserEvent(
  caller: UserPrincipal,
  event: UserAction,
  payload: unknown,
): Promise<Result<unknown>> {
  return { ok: true, value: await performers[event](caller, payload) };
}
