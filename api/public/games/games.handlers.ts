import type { ReplyOf } from "#shared/contracts/actors.ts";
import type { LobbyAction } from "#shared/contracts/game-actions.ts";
import type { UserPrincipal } from "#shared/contracts/principal.ts";
import type { Lobby, Session } from "#shared/contracts/views/game-views.ts";
import { areBlocked } from "#shared/domain/blocks/blocks.queries.ts";
import { createLobby } from "#shared/domain/games/create-lobby.ts";
import {
  existingLobby,
  existingSession,
  listLobbies,
  lobbyView,
  sessionView,
} from "#shared/domain/games/games.queries.ts";
import type { LobbyRow } from "#shared/domain/games/lobby-state.ts";
import { DomainError, unwrap } from "#shared/kernel/domain-error.ts";
import type { ApiDeps } from "../../deps.ts";
import type { Call } from "../../http/route.ts";
import type { ActionBody, IdParams, LobbyBody } from "./games.schemas.ts";

/** @throws NOT_A_MEMBER, or whatever the room's actor refuses with */
async function mustBeInRoom({ actors }: ApiDeps, { caller }: Call, roomId: string): Promise<void> {
  const { present } = unwrap(await actors.voice(roomId, caller, "room:present", { user_ids: [caller.userId] }));
  if (present.length === 0) throw new DomainError("NOT_A_MEMBER", "You are not in this room.");
}

export async function postLobby(deps: ApiDeps, call: Call<object, object, LobbyBody>): Promise<Lobby> {
  const { room_id } = call.body;
  if (room_id) await mustBeInRoom(deps, call, room_id);
  return lobbyView(await existingLobby(await createLobby(call.caller, call.body)));
}

export async function getLobbies(deps: ApiDeps, call: Call<object, { room_id: string }>): Promise<Lobby[]> {
  await mustBeInRoom(deps, call, call.query.room_id);
  return listLobbies(call.query.room_id);
}

/** A lobby of a room is seen by who is in it or in the room; one of no room by whoever has its id and may know its host. */
export async function getLobby(deps: ApiDeps, { caller, params }: Call<IdParams>): Promise<Lobby> {
  const row = await existingLobby(params.id);
  if (!(await maySeeLobby(deps, caller, row))) throw new DomainError("NOT_FOUND", "There is no such lobby.");
  return lobbyView(row);
}

async function maySeeLobby({ actors }: ApiDeps, caller: UserPrincipal, row: LobbyRow): Promise<boolean> {
  const { userId } = caller;
  if (row.players.some((player) => player.userId === userId)) return true;
  if (!row.room_id) return !(await areBlocked(userId, row.host_id));
  const answer = await actors.voice(row.room_id, caller, "room:present", { user_ids: [userId] });
  return answer.ok && answer.value.present.length > 0;
}

export async function askLobby<A extends LobbyAction>(
  { actors }: ApiDeps,
  { caller, params, body }: Call<IdParams, object, object>,
  action: A,
): Promise<ReplyOf<"game_lobby", A>> {
  return unwrap(await actors.lobby(params.id, caller, action, body as never));
}

/** A game that is over has no actor: it is shown as it ended, to its players. */
export async function getSession({ actors }: ApiDeps, { caller, params }: Call<IdParams>): Promise<Session> {
  const row = await existingSession(params.id);
  if (row.status === "active") {
    const answer = await actors.game(params.id, caller, "game:view", {});
    if (answer.ok) return answer.value;
    if (answer.code !== "SESSION_FINISHED") return unwrap(answer);
  }
  const ended = await existingSession(params.id);
  if (!ended.state.players.includes(caller.userId)) throw new DomainError("NOT_FOUND", "There is no such game.");
  return sessionView(ended, caller.userId, new Set());
}

export async function postAction({ actors }: ApiDeps, call: Call<IdParams, object, ActionBody>): Promise<Session> {
  const { action_id, ...action } = call.body;
  const input = { action, ...(action_id !== undefined && { action_id }) };
  return unwrap(await actors.game(call.params.id, call.caller, "game:action", input));
}
